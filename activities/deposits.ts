import { parseWalletAddress, scriptAddress } from '../src/chain/address.ts';
import type { Deposit } from '../src/chain/deposits.ts';
import { depositScript } from '../src/chain/native-scripts.ts';
import { findTransaction } from '../src/store/chain-transactions.ts';
import type { Vault } from '../src/store/vaults.ts';
import type { WorkerDeps } from './deps.ts';

/** A deposit as the next transaction spends it: the output of the transaction that brought it. */
export async function depositOf(
  { db, networkId }: Pick<WorkerDeps, 'db' | 'networkId'>,
  { vaultKeyHash, settlesBySlot }: Vault,
  owner: string,
  transactionId: string,
): Promise<Deposit> {
  const { paymentKeyHash } = parseWalletAddress(owner, networkId);
  const script = depositScript({ vaultKeyHash, ownerKeyHash: paymentKeyHash, deadlineSlot: settlesBySlot });
  const address = scriptAddress(script, networkId);
  const transaction = await findTransaction(db, transactionId);
  const utxo = transaction?.outputs.find((output) => output.address === address);
  if (!utxo) throw new Error(`transaction ${transactionId} made no deposit at ${address}`);
  return { utxo, script, owner };
}
