import type { Selectable } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { reopenAddresses } from './address-news.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { BlocksTable } from '../../platform/database/tables/transactions.ts';

/** A block that the follower has processed. */
export interface FollowedBlock {
  readonly height: number;
  readonly hash: string;
  readonly slot: number;
  /** When it was made, by the ledger's clock. */
  readonly time: Instant;
}

/** Deeper than any rollback the follower undoes (the protocol's security parameter). */
const KEPT_BLOCKS = 2160;

/** The last followed block; null before the first. */
export async function followedTip(db: Db | Transaction): Promise<FollowedBlock | null> {
  const row = await db.selectFrom('blocks').selectAll().orderBy('height', 'desc').limit(1).executeTakeFirst();
  return row ? readBlock(row) : null;
}

/** The height of the first followed block that is kept; null before the first. */
export async function firstFollowedHeight(db: Db): Promise<number | null> {
  const row = await db.selectFrom('blocks').select('height').orderBy('height').limit(1).executeTakeFirst();
  return row ? Number(row.height) : null;
}

/** Every followed block that is kept up to a height, oldest first. */
export async function blocksUpTo(db: Db, height: number): Promise<FollowedBlock[]> {
  const query = db.selectFrom('blocks').selectAll().where('height', '<=', String(height));
  return (await query.orderBy('height').execute()).map(readBlock);
}

/** The followed block at a height; null when it is not stored. */
export async function followedBlock(db: Db | Transaction, height: number): Promise<FollowedBlock | null> {
  const row = await db
    .selectFrom('blocks')
    .select(['height', 'hash', 'slot', 'made_at'])
    .where('height', '=', String(height))
    .executeTakeFirst();
  return row ? readBlock(row) : null;
}

/** Locks the tip of the follower until the transaction ends; returns whether it is still the expected block. */
export async function lockTip(tx: Transaction, expected: FollowedBlock | null): Promise<boolean> {
  await tx.selectFrom('platform').select('id').forUpdate().execute();
  return (await followedTip(tx))?.hash === expected?.hash;
}

export async function appendBlock(tx: Transaction, block: FollowedBlock): Promise<void> {
  await tx
    .insertInto('blocks')
    .values({ height: BigInt(block.height), hash: block.hash, slot: BigInt(block.slot), made_at: new Date(block.time) })
    .execute();
  await tx
    .deleteFrom('blocks')
    .where('height', '<', String(block.height - KEPT_BLOCKS))
    .execute();
}

/** Deletes every block above a height; the scan of addresses asks again for what they have touched. */
export async function dropBlocksAbove(tx: Transaction, height: number): Promise<void> {
  await reopenAddresses(tx, height);
  await tx.deleteFrom('blocks').where('height', '>', String(height)).execute();
}

function readBlock({ height, hash, slot, made_at: madeAt }: Selectable<BlocksTable>): FollowedBlock {
  return { height: Number(height), hash, slot: Number(slot), time: instant(madeAt) };
}
