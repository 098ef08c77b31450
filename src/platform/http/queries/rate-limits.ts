import { sql } from 'kysely';
import { bulkInsert } from '../../database/statements.ts';
import type { Db } from '../../database/database.ts';
import { deleteOldRows } from '../../database/delete-old-rows.ts';

/** Requests by caller in a window that all processes share. */
export interface CountedRow {
  readonly caller: string;
  /** With those that were just added. */
  readonly hits: number;
  readonly resets_at: Date;
}

/**
 * Adds requests by caller, and returns those in the window of each. The first ones of a caller start the window. The rows are locked in the
 * order of their names, so two processes never wait for each other.
 */
export function addRequests(
  db: Db,
  requests: ReadonlyMap<string, number>,
  now: Date,
  windowMs: number,
): Promise<CountedRow[]> {
  const resetsAt = new Date(now.getTime() + windowMs);
  // A window that ends later than any can is of a process whose clock was ahead: it would refuse its callers until then.
  const latest = new Date(now.getTime() + 2 * windowMs);
  const over = sql<boolean>`(rate_limits.resets_at <= ${now} or rate_limits.resets_at > ${latest})`;
  const rows = [...requests].map(([caller, hits]) => ({ caller, hits, resets_at: resetsAt }));
  const inOrder = rows.toSorted((one, other) => (one.caller < other.caller ? -1 : 1));
  return bulkInsert(db, 'rate_limits', { caller: 'text', hits: 'int', resets_at: 'timestamptz' }, inOrder)
    .onConflict((conflict) =>
      conflict.column('caller').doUpdateSet({
        hits: sql<number>`case when ${over} then excluded.hits else rate_limits.hits + excluded.hits end`,
        resets_at: sql<Date>`case when ${over} then excluded.resets_at else rate_limits.resets_at end`,
      }),
    )
    .returning(['caller', 'hits', 'resets_at'])
    .execute();
}

/** Deletes windows that have ended; returns how many. */
export function deleteEndedWindows(db: Db, now: Date): Promise<number> {
  return deleteOldRows(db, { table: 'rate_limits', column: 'resets_at', until: now });
}
