import { sql } from 'kysely';
import { instant } from '../domain/units/instant.ts';
import { hasEnded, isOpen, type TransactionKind, transactionStates } from '../domain/transaction/transaction-state.ts';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db, Transaction } from './database.ts';

/** The fields of a transaction that a list shows. */
export type TransactionSummary = Pick<ChainTransaction, 'hash' | 'kind' | 'state' | 'blockHeight' | 'createdAt'>;

/** Whether a vault has an open transaction of one of these kinds. */
export async function isAnyOpen(
  db: Db | Transaction,
  vaultId: string,
  kinds: readonly TransactionKind[],
): Promise<boolean> {
  const query = db.selectFrom('chain_transactions').select('id').where('vault_id', '=', vaultId);
  const open = query.where('kind', 'in', kinds).where('state', 'in', transactionStates.filter(isOpen));
  return (await open.limit(1).executeTakeFirst()) !== undefined;
}

/** The transactions of a vault, oldest first; when there are more than `limit`, older ones of wallets are left out. */
export async function transactionSummaries(db: Db, vaultId: string, limit: number): Promise<TransactionSummary[]> {
  const rows = await db
    .with('shown', (cte) =>
      cte
        .selectFrom('chain_transactions')
        .select(['id', 'hash', 'kind', 'state', 'block_height', 'created_at'])
        .where('vault_id', '=', vaultId)
        .orderBy('signer')
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    )
    .selectFrom('shown')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ hash, kind, state, block_height: height, created_at: createdAt }) => ({
    hash,
    kind,
    state,
    blockHeight: height === null ? null : Number(height),
    createdAt: instant(createdAt),
  }));
}

/** A vault's transactions of some kinds, oldest first. */
export async function vaultTransactions(
  db: Db | Transaction,
  vaultId: string,
  kinds: readonly TransactionKind[],
): Promise<ChainTransaction[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('kind', 'in', kinds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(readTransaction);
}

/**
 * The expired and failed transactions of a vault that a block which the follower keeps could have; a rollback to before these blocks
 * is none that a network makes.
 */
export async function endedTransactions(
  db: Db,
  vaultId: string,
  kind: TransactionKind,
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('vault_id', '=', vaultId)
    .where('kind', '=', kind)
    .where('state', 'in', transactionStates.filter(hasEnded))
    .where(sql<boolean>`ttl_slot > coalesce((select min(slot) from blocks), 0)`)
    .execute();
}
