import { type Selectable, sql } from 'kysely';
import { reopenAddresses } from './addresses.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { BlocksTable } from '../../platform/database/tables/ledger.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import type { LedgerTip } from '../../transactions/rules.ts';

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

/** The ledger has another history than the recorded one, deeper than a rollback may reach by itself. */
export interface LedgerHold {
  readonly since: Instant;
  /** Height of the last recorded block. */
  readonly tipHeight: number;
  /** Height of the last recorded block that the ledger has; null when it has none of them. */
  readonly forkHeight: number | null;
  /** First block of the ledger's history that an operator has accepted; null while they have not. */
  readonly acceptedFrom: number | null;
}

/** Null while the ledger is followed. */
export async function readLedgerHold(db: Db | Transaction): Promise<LedgerHold | null> {
  const row = await db.selectFrom('ledger_hold').selectAll().executeTakeFirst();
  if (!row) return null;
  return {
    since: instant(row.since),
    tipHeight: Number(row.tip_height),
    forkHeight: numberOrNull(row.fork_height),
    acceptedFrom: numberOrNull(row.accepted_from),
  };
}

/** Records where the histories part; returns whether that begins a hold or moves it. */
export async function holdLedger(
  { tx, now }: TransactionContext,
  { tipHeight, forkHeight }: Pick<LedgerHold, 'tipHeight' | 'forkHeight'>,
): Promise<boolean> {
  const current = await readLedgerHold(tx);
  if (current?.tipHeight === tipHeight && current.forkHeight === forkHeight) return false;
  const where = {
    tip_height: BigInt(tipHeight),
    fork_height: forkHeight === null ? null : BigInt(forkHeight),
    accepted_from: null,
  };
  await tx
    .insertInto('ledger_hold')
    .values({ since: new Date(now), ...where })
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet(where))
    .execute();
  return true;
}

/** Accepts the ledger's history from a block on; the follower takes it over. */
export async function acceptLedgerHistory(tx: Transaction, from: number): Promise<void> {
  await tx
    .updateTable('ledger_hold')
    .set({ accepted_from: BigInt(from) })
    .execute();
}

export async function endLedgerHold(tx: Transaction): Promise<void> {
  await tx.deleteFrom('ledger_hold').execute();
}

function numberOrNull(value: string | null): number | null {
  return value === null ? null : Number(value);
}

/** The last followed block as a column of a statement that reads transactions; null until a worker has run once. */
export const ledgerTip = sql<LedgerTip | null>`(select json_build_object('height', (select max(height) from blocks),
  'confirmationDepth', confirmation_depth) from platform)`;
