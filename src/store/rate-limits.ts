import { sql } from 'kysely';
import type { Db } from './database.ts';

export interface RateCount {
  readonly hits: number;
  readonly resetsAt: Date;
}

/** Adds requests of `caller` to its window, which starts with the first request and is shared by all processes. */
export async function countRequests(
  db: Db,
  { caller, requests }: { readonly caller: string; readonly requests: number },
  now: Date,
  windowMs: number,
): Promise<RateCount> {
  const resetsAt = new Date(now.getTime() + windowMs);
  const over = sql<boolean>`rate_limits.resets_at <= ${now}`;
  const row = await db
    .insertInto('rate_limits')
    .values({ caller, hits: requests, resets_at: resetsAt })
    .onConflict((conflict) =>
      conflict.column('caller').doUpdateSet({
        hits: sql<number>`case when ${over} then excluded.hits else rate_limits.hits + excluded.hits end`,
        resets_at: sql<Date>`case when ${over} then excluded.resets_at else rate_limits.resets_at end`,
      }),
    )
    .returning(['hits', 'resets_at'])
    .executeTakeFirstOrThrow();
  return { hits: row.hits, resetsAt: row.resets_at };
}

/** Deletes windows that have ended; returns how many. */
export async function deleteEndedWindows(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('rate_limits').where('resets_at', '<=', now).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
