import { setTimeout as pause } from 'node:timers/promises';

export interface BatchQueueOptions {
  /** The shortest time from one batch to the next that is not worth an anchor by itself, in milliseconds. */
  readonly minIntervalMs: number;
  /** Milliseconds from one batch to the next at present; `minIntervalMs` when absent. */
  readonly intervalMs?: () => number;
  readonly maxSize: number;
}

/** Collects items for batches that run one after the other. */
export interface BatchQueue<Item> {
  readonly size: () => number;
  /** Adds an item that should wait no longer than `maxWaitMs` for its batch, if the shortest interval allows that; 'now' in any case. */
  readonly enqueue: (item: Item, maxWaitMs?: number | 'now') => void;
  /** Runs everything that is enqueued without waiting between batches. */
  readonly flushNow: () => Promise<void>;
}

/**
 * Each batch costs an anchor. One that comes before the interval has passed must carry at least so many items for each millisecond of the
 * shortest interval: then no fact costs more than it would when so many arrive all the time.
 */
const EARLY_ITEMS_PER_MS = 0.4;

/**
 * Runs `run` with the enqueued items, one batch at a time: as soon as the last one has ended, if enough items wait to be worth an anchor,
 * else when the interval from the start of the last one has passed, or the shortest one and an item can wait no longer.
 */
export function createBatchQueue<Item>(
  { minIntervalMs, intervalMs = () => minIntervalMs, maxSize }: BatchQueueOptions,
  run: (items: readonly Item[]) => Promise<void>,
): BatchQueue<Item> {
  const earlySize = Math.max(1, Math.ceil(minIntervalMs * EARLY_ITEMS_PER_MS));
  let queued: Item[] = [];
  let running: Promise<void> | null = null;
  let startedAt = -Infinity;
  /** When the first of the queued items can wait no longer. */
  let latestAt = Infinity;
  /** Whether a queued item has waited for a batch before, so that its deadline may be near. */
  let isUrgent = false;
  let isFlushing = false;
  let wait = new AbortController();

  async function runAll(): Promise<void> {
    while (queued.length > 0) {
      do await waitUntilDue();
      while (dueAt() > performance.now());
      startedAt = performance.now();
      const batch = queued.slice(0, maxSize);
      queued = queued.slice(maxSize);
      if (queued.length === 0) latestAt = Infinity;
      isUrgent = false;
      await run(batch);
    }
    running = null;
  }

  function dueAt(): number {
    const isDue = isFlushing || isUrgent || queued.length >= earlySize;
    return isDue ? -Infinity : Math.min(startedAt + intervalMs(), Math.max(startedAt + minIntervalMs, latestAt));
  }

  async function waitUntilDue(): Promise<void> {
    wait = new AbortController();
    await pause(Math.max(0, dueAt() - performance.now()), undefined, { signal: wait.signal }).catch(() => undefined);
  }

  return {
    size: () => queued.length,
    enqueue: (item, maxWaitMs = Infinity) => {
      const before = dueAt();
      queued.push(item);
      if (maxWaitMs === 'now') isUrgent = true;
      else latestAt = Math.min(latestAt, performance.now() + maxWaitMs);
      running ??= runAll();
      if (dueAt() < before) wait.abort();
    },
    flushNow: async () => {
      isFlushing = true;
      wait.abort();
      await running;
    },
  };
}
