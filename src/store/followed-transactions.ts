import { sql } from 'kysely';
import type { Instant } from '../domain/units/instant.ts';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db, Transaction } from './database.ts';

/** Our transactions among those of a block that are not known to be in one, in block order. */
export async function landingTransactions(tx: Transaction, hashes: readonly string[]): Promise<ChainTransaction[]> {
  if (hashes.length === 0) return [];
  const rows = await tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('hash', 'in', hashes)
    .where('state', 'in', ['awaiting_signatures', 'pending', 'submitted'])
    .forUpdate()
    .execute();
  const order = new Map(hashes.map((hash, position) => [hash, position]));
  return rows.map(readTransaction).sort((one, other) => (order.get(one.hash) ?? 0) - (order.get(other.hash) ?? 0));
}

/** Transactions that are in a block although nobody handed their signatures in. */
export async function directSubmissions(db: Db): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('state', '=', 'confirmed')
    .where('signed_cbor', 'is', null)
    .execute();
}

/** Transactions whose block is at `height` or below and that are not known to be final. */
export async function finalTransactions(tx: Transaction, height: number): Promise<ChainTransaction[]> {
  const rows = await tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('state', '=', 'confirmed')
    .where('block_height', '<=', String(height))
    .forUpdate()
    .execute();
  return rows.map(readTransaction);
}

/** Transactions that a block in `slot` and every later one refuses. */
export async function expiredTransactions(tx: Transaction, slot: number): Promise<ChainTransaction[]> {
  const rows = await tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('state', 'in', ['awaiting_signatures', 'pending', 'submitted'])
    .where('ttl_slot', '<=', String(slot))
    .forUpdate()
    .execute();
  return rows.map(readTransaction);
}

/** Transactions whose block is gone, the newest first: effects are undone in the reverse of their order. */
export async function transactionsAbove(tx: Transaction, height: number): Promise<ChainTransaction[]> {
  const rows = await tx
    .selectFrom('chain_transactions')
    .selectAll()
    .where('state', 'in', ['confirmed', 'final'])
    .where('block_height', '>', String(height))
    .orderBy('block_height', 'desc')
    .orderBy('created_at', 'desc')
    .forUpdate()
    .execute();
  return rows.map(readTransaction);
}

/**
 * Transactions that were sent and have not been seen in a block since `before`. The first is whichever was sent or changed the
 * longest ago, so that those that cannot land keep nobody from being sent; among equals, whichever was made first.
 */
export async function unseenTransactions(db: Db, before: Instant, limit: number): Promise<ChainTransaction[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .selectAll()
    .where('state', '=', 'submitted')
    .where('updated_at', '<=', new Date(before))
    .orderBy(sql`greatest(sent_at, updated_at)`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(readTransaction);
}

/** Remembers that a transaction is being sent again. */
export async function markSent(db: Db, transactionId: string, now: Instant): Promise<void> {
  await db
    .updateTable('chain_transactions')
    .set({ sent_at: new Date(now) })
    .where('id', '=', transactionId)
    .execute();
}
