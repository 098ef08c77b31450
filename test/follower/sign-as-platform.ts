import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { storeConfirmed } from '../../src/transactions/queries/changes.ts';
import type { ChainTransaction } from '../../src/transactions/queries/transactions.ts';
import { keyIndexesOf } from '../../src/vaults/queries/vaults.ts';
import type { ApiService } from '../vaults/api-service.ts';

/** Signs a recorded transaction with the keys of its vault, as the worker does before it sends it. */
export async function signAsPlatform(
  { db, keys }: Pick<ApiService, 'db' | 'keys'>,
  transaction: ChainTransaction,
): Promise<ChainTransaction> {
  const { id, vaultId, requiredSigners, unsignedCbor } = transaction;
  const indexes = vaultId === null ? [] : await keyIndexesOf(db, vaultId, requiredSigners);
  const own = indexes.flatMap((index) => [keys.vaultKey(index), keys.policyKey(index)]);
  const signedCbor = signTransaction(unsignedCbor, own);
  await storeConfirmed(db, id, signedCbor);
  return { ...transaction, signedCbor };
}
