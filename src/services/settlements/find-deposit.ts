import type { Deposit } from '../../chain/build/deposits.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import { depositAddressOf } from '../../chain/scripts/script-addresses.ts';
import { findTransaction } from '../../store/chain-transactions.ts';
import type { Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import type { StoredDeposit } from '../../store/vault-deposits.ts';

/** The output that holds a deposit, as a transaction spends it: an output of the transaction that brought the deposit. */
export async function findDeposit(
  { db, networkId }: Pick<ServiceContext, 'db' | 'networkId'>,
  vault: Vault,
  { owner, transactionId }: Pick<StoredDeposit, 'owner' | 'transactionId'>,
): Promise<Deposit> {
  const { paymentKeyHash } = parseWalletAddress(owner, networkId);
  const { script, address } = depositAddressOf(vault, paymentKeyHash, networkId);
  const transaction = await findTransaction(db, transactionId);
  const utxo = transaction?.outputs.find((output) => output.address === address);
  if (!utxo) throw new Error(`transaction ${transactionId} has no deposit at ${address}`);
  return { utxo, script, owner };
}
