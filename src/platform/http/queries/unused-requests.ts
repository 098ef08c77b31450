import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/** Requests that were counted in the window that ends at `resetsAt`, but did not come. */
export interface UnusedRequests {
  readonly caller: string;
  readonly hits: number;
  readonly resetsAt: Date;
}

/** Takes requests back. The rows are locked in the order in which requests are added. */
export async function takeBack(db: Db, unused: readonly UnusedRequests[]): Promise<void> {
  if (unused.length === 0) return;
  const [callers, hits, ends] = [
    unused.map(({ caller }) => caller),
    unused.map((each) => each.hits),
    unused.map(({ resetsAt }) => resetsAt),
  ];
  await sql`
    with given as (
      select rate_limits.caller, unused.hits from rate_limits
        join unnest(${callers}::text[], ${hits}::int[], ${ends}::timestamptz[]) as unused (caller, hits, resets_at)
          using (caller, resets_at)
        order by rate_limits.caller for update of rate_limits)
    update rate_limits set hits = greatest(rate_limits.hits - given.hits, 0) from given
      where rate_limits.caller = given.caller
  `.execute(db);
}
