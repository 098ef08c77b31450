import type { Instant } from '../domain/units/instant.ts';
import type { Db, Transaction } from './database.ts';

/** A block that the follower has processed. */
export interface FollowedBlock {
  readonly height: number;
  readonly hash: string;
  readonly slot: number;
}

/** Deeper than any rollback the follower undoes (the protocol's security parameter). */
const KEPT_BLOCKS = 2160;

/** The last followed block; null before the first. */
export async function followedTip(db: Db | Transaction): Promise<FollowedBlock | null> {
  return (await latestBlocks(db, 1))[0] ?? null;
}

/** The last followed blocks, newest first. */
export async function latestBlocks(db: Db | Transaction, limit: number): Promise<FollowedBlock[]> {
  const rows = await db
    .selectFrom('blocks')
    .select(['height', 'hash', 'slot'])
    .orderBy('height', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ height: Number(row.height), hash: row.hash, slot: Number(row.slot) }));
}

/** The followed block at a height; null when it is not stored. */
export async function followedBlock(db: Db | Transaction, height: number): Promise<FollowedBlock | null> {
  const row = await db
    .selectFrom('blocks')
    .select(['height', 'hash', 'slot'])
    .where('height', '=', String(height))
    .executeTakeFirst();
  return row ? { height: Number(row.height), hash: row.hash, slot: Number(row.slot) } : null;
}

/** Locks the tip of the follower until the transaction ends; returns whether it is still the expected block. */
export async function lockTip(tx: Transaction, expected: FollowedBlock | null): Promise<boolean> {
  await tx.selectFrom('platform').select('id').forUpdate().execute();
  return (await followedTip(tx))?.hash === expected?.hash;
}

export async function appendBlock(tx: Transaction, block: FollowedBlock, madeAt: Instant): Promise<void> {
  await tx
    .insertInto('blocks')
    .values({ height: BigInt(block.height), hash: block.hash, slot: BigInt(block.slot), made_at: new Date(madeAt) })
    .execute();
  await tx
    .deleteFrom('blocks')
    .where('height', '<', String(block.height - KEPT_BLOCKS))
    .execute();
}

/** Deletes every block above a height. */
export async function dropBlocksAbove(tx: Transaction, height: number): Promise<void> {
  await tx.deleteFrom('blocks').where('height', '>', String(height)).execute();
}
