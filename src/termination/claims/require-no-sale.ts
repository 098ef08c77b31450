import { ServiceError } from '../../platform/errors/errors.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { isAnySent } from '../../transactions/queries/vault-transactions.ts';

/**
 * Throws CLAIMS_AWAIT_SALE while a sale is sent that is not final: who claimed before its price is in the pot would get nothing of it,
 * and nobody would if these were the last tokens.
 */
export async function requireNoSaleUnderWay(tx: Transaction, vaultId: string): Promise<void> {
  if (await isAnySent(tx, vaultId, ['execute'])) throw new ServiceError('CLAIMS_AWAIT_SALE');
}
