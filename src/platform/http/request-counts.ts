import DataLoader from 'dataloader';
import { evictOldest } from '../async.ts';
import type { Db } from '../database/database.ts';
import type { Clock } from '../units/time.ts';
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
  const memory = createMemory(clock, windowMs);

  /** Adds a request for each mention of a caller, and what was counted of it in memory; returns the counts before these mentions. */
  async function add(mentioned: readonly string[], written: Map<string, number>): Promise<Map<string, RequestCount>> {
    const requests = new Map(written);
    for (const caller of mentioned) requests.set(caller, (requests.get(caller) ?? 0) + 1);
    try {
      const rows = await addRequests(db, requests, new Date(clock.now()), windowMs);
      for (const { caller, hits, resets_at: resetsAt } of rows) memory.remember(caller, { hits, resetsAt });
      const ownOf = (caller: string) => (requests.get(caller) ?? 0) - (written.get(caller) ?? 0);
      return new Map(rows.map((row) => [row.caller, { hits: row.hits - ownOf(row.caller), resetsAt: row.resets_at }]));
    } catch (error) {
      memory.addUnwritten(written);
      throw error;
    }
  }

  const count = batchCounts((mentioned) => add(mentioned, memory.take(new Set(mentioned))));
  return {
    count: (callers) => Promise.all(callers.map(count)),
    countInMemory(callers, most) {
      const [first = ''] = callers;
      const known = memory.countOf(first);
      if (known === null || known.hits + 1 > most) return null;
      memory.addUnwritten(new Map(callers.map((caller) => [caller, 1])));
      return { ...known, hits: known.hits + 1 };
    },
    async write() {
      const unwritten = memory.take(null);
      if (unwritten.size > 0) await add([], unwritten);
    },
  };
}

/** What a process knows of the counts, and what Postgres has not been told yet. */
function createMemory(clock: Clock, windowMs: number) {
  const known = new Map<string, RequestCount>();
  const unwritten = new Map<string, number>();
  const leftMs = (caller: string) => (known.get(caller)?.resetsAt.getTime() ?? Infinity) - clock.now();
  return {
    /** Null when the window has ended, or was begun by a clock that is ahead. */
    countOf(caller: string): RequestCount | null {
      const count = known.get(caller);
      if (!count || leftMs(caller) <= 0 || leftMs(caller) > 2 * windowMs) return null;
      return { ...count, hits: count.hits + (unwritten.get(caller) ?? 0) };
    },
    /** Statements can answer in another order than they have counted. */
    remember(caller: string, count: RequestCount): void {
      const before = known.get(caller);
      const isSame = before?.resetsAt.getTime() === count.resetsAt.getTime();
      known.delete(caller);
      known.set(caller, isSame ? { ...count, hits: Math.max(before.hits, count.hits) } : count);
      evictOldest(known, MAX_CALLERS);
    },
    /** Takes the unwritten requests of these callers, or of all. Those of a window that has ended do not count in the next one. */
    take(callers: ReadonlySet<string> | null): Map<string, number> {
      const taken = new Map<string, number>();
      for (const caller of callers ?? [...unwritten.keys()]) {
        const hits = unwritten.get(caller) ?? 0;
        unwritten.delete(caller);
        if (hits > 0 && leftMs(caller) > 0) taken.set(caller, hits);
      }
      return taken;
    },
    addUnwritten(requests: ReadonlyMap<string, number>): void {
      for (const [caller, hits] of requests) unwritten.set(caller, hits + (unwritten.get(caller) ?? 0));
    },
  };
}

/**
 * Counts a request of a caller. Requests that come while a statement counts share the next one: separate ones would wait for each other's
 * row, and for connections.
 */
function batchCounts(add: (mentioned: readonly string[]) => Promise<Map<string, RequestCount>>) {
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
