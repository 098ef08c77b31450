import { sql } from 'kysely';
import type { TransactionKind } from '../../transactions/rules.ts';
import type { Instant } from '../../platform/units/time.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { ChainTransaction, TransactionRow } from '../../transactions/queries/transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';

/**
 * Locks the platform's transactions among those of a block that are not recorded as in a block, whatever became of them. Returns
 * them in block order.
 */
export async function lockTransactionsOfBlock(tx: Transaction, hashes: readonly string[]): Promise<TransactionRow[]> {
  if (hashes.length === 0) return [];
  const rows = await tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('hash', '=', anyOf(hashes))
    .where('state', 'not in', ['confirmed', 'final'])
    .orderBy('id')
    .forUpdate()
    .execute();
  const order = new Map(hashes.map((hash, position) => [hash, position]));
  return rows.sort((one, other) => (order.get(one.hash) ?? 0) - (order.get(other.hash) ?? 0));
}

/** Transactions in a block whose signatures were never submitted to the platform: a wallet submitted them directly. */
export async function directSubmissions(db: Db): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('state', '=', 'confirmed')
    .where('signed_cbor', 'is', null)
    .execute();
}

/** The kinds that only a key of the platform makes what they are, and that the api records. */
const signedByPlatform = ['create_vault', 'anchor', 'execute', 'claim'] as const satisfies readonly TransactionKind[];

/** Transactions of these hashes that need a signature of the platform, of which nobody has stored it: none as long as no row is lost or forged. */
export async function confirmedWithoutSignature(
  db: Db,
  hashes: readonly string[],
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  if (hashes.length === 0) return [];
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('hash', '=', anyOf(hashes))
    .where('kind', 'in', signedByPlatform)
    .where('signed_cbor', 'is', null)
    .execute();
}

/** Locks the confirmed transactions whose block is at `height` or below, which makes them final. */
export async function lockTransactionsToFinalize(tx: Transaction, height: number): Promise<TransactionRow[]> {
  return tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('state', '=', 'confirmed')
    .where('block_height', '<=', String(height))
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** The states of open transactions that no recorded block has. */
export const notConfirmed = ['awaiting_signatures', 'pending', 'submitted'] as const;

/**
 * Open transactions that a block in `slot`, or any later one, refuses, not all at once: the oldest first, and after them those that
 * could not be expired before, so that these do not block others.
 */
export async function findTransactionsToExpire(
  db: Db,
  slot: number,
  limit: number,
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('state', 'in', notConfirmed)
    .where('ttl_slot', '<=', String(slot))
    .orderBy('expiry_failed_at', (order) => order.asc().nullsFirst())
    .orderBy('ttl_slot')
    .limit(limit)
    .execute();
}

/** Records whether it could not be said that a transaction has been confirmed, or when. */
export async function markExpiryFailed(db: Db | Transaction, transactionId: string, hasFailed = true): Promise<void> {
  await db
    .updateTable('chain_transactions')
    .set({ expiry_failed_at: hasFailed ? sql`clock_timestamp()` : null })
    .where('id', '=', transactionId)
    .execute();
}

/**
 * Locks the transactions in blocks above a height, in the order that everybody keeps, by id, and returns them newest first: a rollback
 * undoes effects in reverse order.
 */
export async function lockTransactionsAbove(
  tx: Transaction,
  height: number,
  limit?: number,
): Promise<TransactionRow[]> {
  const above = tx
    .selectFrom('chain_transactions')
    .select('id')
    .where('state', 'in', ['confirmed', 'final'])
    .where('block_height', '>', String(height))
    .orderBy('block_height', 'desc')
    .orderBy('created_at', 'desc');
  const rows = await tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('id', 'in', limit === undefined ? above : above.limit(limit))
    .where('state', 'in', ['confirmed', 'final'])
    .orderBy('id')
    .forUpdate()
    .execute();
  const heightOf = (row: (typeof rows)[number]) => Number(row.block_height);
  return rows.sort(
    (one, other) => heightOf(other) - heightOf(one) || other.created_at.getTime() - one.created_at.getTime(),
  );
}

/**
 * Submitted transactions that have not been seen in a block since `before`. The first is the one that was sent or changed the
 * longest ago, so that transactions that the ledger refuses do not block others; among equals, the one made first.
 */
export async function unseenTransactions(
  db: Db,
  before: Instant,
  { limit, now }: { readonly limit: number; readonly now: Instant },
): Promise<TransactionRow[]> {
  // A clock was ahead when it was sent.
  const isAhead = (column: 'sent_at' | 'updated_at') => sql<boolean>`${sql.ref(column)} > ${new Date(now)}`;
  const lastAt = (column: 'sent_at' | 'updated_at') =>
    sql`case when not ${isAhead(column)} then ${sql.ref(column)} end`;
  return db
    .selectFrom('chain_transactions')
    .selectAll()
    .where('state', '=', 'submitted')
    .where(sql<boolean>`(updated_at <= ${new Date(before)} or ${isAhead('updated_at')})`)
    .orderBy(sql`coalesce(greatest(${lastAt('sent_at')}, ${lastAt('updated_at')}), '-infinity')`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Records that a transaction is being sent again. */
export async function markSent(db: Db, transactionId: string, now: Instant): Promise<void> {
  await db
    .updateTable('chain_transactions')
    .set({ sent_at: new Date(now) })
    .where('id', '=', transactionId)
    .execute();
}
