import { sql } from 'kysely';
import type { Clock } from '../../units/clock.ts';
import { bulkInsert } from '../../database/bulk-insert.ts';
import { coalesce } from '../../database/coalesce.ts';
import type { Db } from '../../database/database.ts';
import { deletePast } from '../../database/delete-past.ts';
import { takeBack, type UnusedRequests } from './unused-requests.ts';

/** A caller's requests in the window that ends at `resetsAt`. */
export interface RateCount {
  readonly hits: number;
  readonly resetsAt: Date;
}

/** Requests of a caller. */
export interface CallerRequests {
  readonly caller: string;
  readonly hits: number;
}

export interface RequestCounter {
  /** Adds requests, and returns those in the window of each of the callers, with these. The first ones of a caller start the window. */
  readonly count: (requests: readonly CallerRequests[]) => Promise<RateCount[]>;
  /** Takes requests back. A window that began meanwhile, because Postgres lost the counts in a crash, has not counted them. */
  readonly takeBack: (unused: readonly UnusedRequests[]) => Promise<void>;
}

/**
 * Counts requests in windows that all processes share. Requests at about the same time are counted by one statement, because
 * separate updates of one caller's row would wait for each other's commits.
 */
export function createRequestCounter(db: Db, clock: Clock, windowMs: number): RequestCounter {
  const count = coalesce(async (asked: readonly (readonly CallerRequests[])[]) => {
    const requests = new Map<string, number>();
    for (const { caller, hits } of asked.flat()) requests.set(caller, (requests.get(caller) ?? 0) + hits);
    const counted = await countRequests(db, requests, new Date(clock.now()), windowMs);
    const totals = new Map(counted.map((row) => [row.caller, row.hits - (requests.get(row.caller) ?? 0)]));
    const ends = new Map(counted.map((row) => [row.caller, row.resets_at]));
    const countOf = ({ caller, hits }: CallerRequests): RateCount => {
      const [before, resetsAt] = [totals.get(caller), ends.get(caller)];
      if (before === undefined || !resetsAt) throw new Error(`${caller} was not counted`);
      totals.set(caller, before + hits);
      return { hits: before + hits, resetsAt };
    };
    return (some: readonly CallerRequests[]) => some.map(countOf);
  });
  return { count, takeBack: (unused) => takeBack(db, unused) };
}

/** Adds requests by caller. The rows are locked in the order of their names, so two processes never wait for each other. */
function countRequests(db: Db, requests: ReadonlyMap<string, number>, now: Date, windowMs: number) {
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
  return deletePast(db, { table: 'rate_limits', column: 'resets_at', until: now });
}
