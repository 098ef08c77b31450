import DataLoader from 'dataloader';
import { forgetOldest } from '../async/forget-oldest.ts';
import type { Db } from '../database/database.ts';
import type { Clock } from '../units/clock.ts';
import { addRequests } from './queries/rate-limits.ts';

/** A caller's requests in the window that ends at `resetsAt`. */
export interface RequestCount {
  readonly hits: number;
  readonly resetsAt: Date;
}

export interface RequestCounts {
  /** Counts a request of each of these callers in Postgres. Rejects when Postgres cannot be reached. */
  readonly count: (callers: readonly string[]) => Promise<RequestCount[]>;
  /**
   * Counts a request of these callers in memory, if the first of them has at most `most` then; returns its count. Null, and nothing is
   * counted, when it has more, or when this process does not know its window.
   */
  readonly countInMemory: (callers: readonly string[], most: number) => RequestCount | null;
  /** Adds to Postgres what was counted in memory, in one statement. */
  readonly write: () => Promise<void>;
}

/** The longest-known callers are forgotten first; each then costs one statement. */
const MAX_CALLERS = 10_000;

/** Counts requests over all processes: in Postgres, and in memory until the next `write`. */
export function createRequestCounts(db: Db, clock: Clock, windowMs: number): RequestCounts {
  /** As Postgres last said. */
  const known = new Map<string, RequestCount>();
  /** What Postgres has not been told yet. */
  const unwritten = new Map<string, number>();

  function countOf(caller: string): RequestCount | null {
    const count = known.get(caller);
    if (!count || count.resetsAt.getTime() <= clock.now()) return null;
    return { ...count, hits: count.hits + (unwritten.get(caller) ?? 0) };
  }

  /** Adds a request for each mention of a caller, and what was counted of it in memory; returns the count before these mentions. */
  async function add(mentioned: readonly string[]): Promise<Map<string, RequestCount>> {
    const written = new Map([...new Set(mentioned)].map((caller) => [caller, unwritten.get(caller) ?? 0]));
    if (mentioned.length === 0) for (const [caller, hits] of unwritten) written.set(caller, hits);
    const requests = new Map(written);
    for (const caller of mentioned) requests.set(caller, (requests.get(caller) ?? 0) + 1);
    for (const caller of written.keys()) unwritten.delete(caller);
    try {
      const rows = await addRequests(db, requests, new Date(clock.now()), windowMs);
      return new Map(
        rows.map(({ caller, hits, resets_at: resetsAt }) => {
          remember(caller, { hits, resetsAt });
          const own = (requests.get(caller) ?? 0) - (written.get(caller) ?? 0);
          return [caller, { hits: hits - own, resetsAt }];
        }),
      );
    } catch (error) {
      for (const [caller, hits] of written) if (hits > 0) unwritten.set(caller, hits + (unwritten.get(caller) ?? 0));
      throw error;
    }
  }

  /** Statements can answer in another order than they have counted. */
  function remember(caller: string, count: RequestCount): void {
    const before = known.get(caller);
    const isSame = before?.resetsAt.getTime() === count.resetsAt.getTime();
    known.delete(caller);
    known.set(caller, isSame ? { ...count, hits: Math.max(before.hits, count.hits) } : count);
    forgetOldest(known, MAX_CALLERS);
  }

  const count = countTogether(add);
  return {
    count: (callers) => Promise.all(callers.map(count)),
    countInMemory(callers, most) {
      const [first = ''] = callers;
      const count = countOf(first);
      if (count === null || count.hits + 1 > most) return null;
      for (const caller of callers) unwritten.set(caller, (unwritten.get(caller) ?? 0) + 1);
      return { ...count, hits: count.hits + 1 };
    },
    async write() {
      if (unwritten.size > 0) await add([]);
    },
  };
}

/**
 * Counts a request of a caller. Requests that come while a statement counts share the next one: separate ones would wait for each other's
 * row, and for connections.
 */
function countTogether(add: (mentioned: readonly string[]) => Promise<Map<string, RequestCount>>) {
  let last: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<string, RequestCount>(
    async (callers) => {
      const adding = add(callers);
      last = adding.catch(() => undefined);
      const before = await adding;
      return callers.map((caller) => {
        const count = before.get(caller);
        if (!count) return new Error(`${caller} was not counted`);
        const next = { ...count, hits: count.hits + 1 };
        before.set(caller, next);
        return next;
      });
    },
    { cache: false, batchScheduleFn: (dispatch) => void last.then(() => setImmediate(dispatch)) },
  );
  return (caller: string) => loader.load(caller);
}
