import { CompiledQuery, sql } from 'kysely';
import type { Instant } from '../units/instant.ts';
import type { Db } from './database.ts';
import { deletePast } from './delete-past.ts';
import { PREPARED } from './prepared-statements.ts';

/** What changes beside vaults; transactions without a vault are `no vault`. */
export const sharedSubjects = ['prices', 'pauses', 'blocks', 'no vault'] as const;

/** What changes: a vault by its id, with all that belongs to it, or what all vaults share. */
export type ChangeSubject = (string & {}) | (typeof sharedSubjects)[number];

/** The state of the database up to which changes were read. */
export interface ChangesPosition {
  /** Which transactions were committed. */
  readonly snapshot: string;
  /** A restart, a failover and a recovery after a crash begin a new history. */
  readonly server: string;
  /** Time of Postgres, by which recorded changes are deleted. */
  readonly readAt: string;
  /** Time of the clock of reads: what is due later changes later. */
  readonly at: Instant;
}

/** Changes are kept for an hour; a position must be younger, by more than a transaction takes. */
const POSITION = '30 minutes';

const before = 'coalesce($1::pg_snapshot, pg_current_snapshot())';
/** Text, because it is sent so often that building it would count. */
const changesSince = `select ${PREPARED} pg_current_snapshot()::text as snapshot, clock_timestamp()::text as "readAt",
  -- A recovery after a crash keeps the postmaster, but not its statistics.
  pg_postmaster_start_time()::text || (select stats_reset from pg_stat_checkpointer)::text as server,
  clock_timestamp() - $2::timestamptz < '${POSITION}'::interval as "isRecent",
  array(select subject from changes
      where transaction >= pg_snapshot_xmin(${before}) and not pg_visible_in_snapshot(transaction, ${before})
    union select vault_id::text from stakes where voting_power > 0
      and owner_alone_from > $3 and owner_alone_from <= $4) as changed`;

/**
 * What has changed since a position, up to all that was committed before this statement began; null when that is not known. Triggers
 * record changes (`9_changes.sql`); stakes also change when their owners may take them back alone.
 */
export async function readChanges(
  db: Db,
  since: ChangesPosition | null,
  now: Instant,
): Promise<{ readonly position: ChangesPosition; readonly changed: readonly ChangeSubject[] | null }> {
  const { snapshot = null, readAt: askedAt = null, at: until = now } = since ?? {};
  const values = [snapshot, askedAt, new Date(until), new Date(now)];
  const { rows } = await db.executeQuery<ChangesRow>(CompiledQuery.raw(changesSince, values));
  const [row] = rows;
  if (!row) throw new Error('a query without a table has a row');
  const { snapshot: position, server, readAt, isRecent, changed } = row;
  const isKnown = since?.server === server && isRecent === true;
  return { position: { snapshot: position, server, readAt, at: now }, changed: isKnown ? changed : null };
}

interface ChangesRow extends Omit<ChangesPosition, 'at'> {
  /** Null without a position. */
  readonly isRecent: boolean | null;
  readonly changed: string[];
}

/** Forgets changes that every process has read or no longer asks for. */
export function deleteOldChanges(db: Db): Promise<number> {
  // `clock_timestamp()` changes from row to row, so no index could serve it.
  return deletePast(db, { table: 'changes', column: 'at', until: sql<Date>`now() - interval '1 hour'` });
}
