import { parseWalletAddress } from '../src/chain/scripts/address.ts';
import type { Deposit } from '../src/chain/build/deposits.ts';
import { depositAddressOf } from '../src/chain/scripts/script-addresses.ts';
import { findTransaction } from '../src/store/chain-transactions.ts';
import type { Vault } from '../src/store/vaults.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';

/** A deposit as the next transaction spends it: the output of the transaction that brought it. */
export async function depositOf(
  { db, networkId }: Pick<WorkerContext, 'db' | 'networkId'>,
  vault: Vault,
  owner: string,
  transactionId: string,
): Promise<Deposit> {
  const { paymentKeyHash } = parseWalletAddress(owner, networkId);
  const { script, address } = depositAddressOf(vault, paymentKeyHash, networkId);
  const transaction = await findTransaction(db, transactionId);
  const utxo = transaction?.outputs.find((output) => output.address === address);
  if (!utxo) throw new Error(`transaction ${transactionId} made no deposit at ${address}`);
  return { utxo, script, owner };
}
