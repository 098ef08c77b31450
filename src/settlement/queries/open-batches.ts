import type { TransactionKind } from '../../transactions/rules/transaction-state.ts';
import { instant } from '../../platform/units/instant.ts';
import type { ChainTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { Db } from '../../platform/database/database.ts';

/** Batches of deposits that one transaction each pays or returns. */
export type BatchKind = Extract<TransactionKind, 'deliver' | 'refund'>;

/** A batch that is in no block yet. */
export type OpenBatch = Pick<ChainTransaction, 'id' | 'state' | 'refusal' | 'expiresAt'>;

/** The batches of a vault that are in no block yet and still may be, oldest first. */
export async function openBatches(db: Db, vaultId: string, kind: BatchKind): Promise<OpenBatch[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .select(['id', 'state', 'refusal', 'expires_at'])
    .where('vault_id', '=', vaultId)
    .where('kind', '=', kind)
    .where('state', 'in', ['pending', 'submitted'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ expires_at: expiresAt, ...row }) => ({ ...row, expiresAt: instant(expiresAt) }));
}
