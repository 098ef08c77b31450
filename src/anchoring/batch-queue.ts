export interface BatchQueueOptions {
  /** The shortest time from one batch to the next that is not worth an anchor by itself, in milliseconds. */
  readonly minIntervalMs: number;
  /** Milliseconds from one batch to the next at present. */
  readonly intervalMs: () => number;
  readonly maxSize: number;
}

/** Collects items for batches that run one after the other. */
export interface BatchQueue<Item> {
  readonly size: () => number;
  /**
   * Adds an item that should be in a batch at `latestAt` (of `performance.now()`), if the shortest interval allows that; with `URGENT`
   * the next batch waits for no interval.
   */
  readonly enqueue: (item: Item, latestAt?: number) => void;
  /** Runs everything that is enqueued, from now on without waiting between batches. */
  readonly flush: () => Promise<void>;
}

export const URGENT = -Infinity;

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
  { minIntervalMs, intervalMs, maxSize }: BatchQueueOptions,
  run: (items: readonly Item[]) => Promise<void>,
): BatchQueue<Item> {
  const earlySize = Math.max(1, Math.ceil(minIntervalMs * EARLY_ITEMS_PER_MS));
  let waiting: { readonly item: Item; readonly latestAt: number }[] = [];
  /** When the first of those can wait no longer. */
  let latestAt = Infinity;
  let running: Promise<void> | null = null;
  let startedAt = -Infinity;
  let isFlushing = false;
  let timer: NodeJS.Timeout | undefined;

  function dueAt(): number {
    if (isFlushing || latestAt === URGENT || waiting.length >= earlySize) return -Infinity;
    return Math.min(startedAt + intervalMs(), Math.max(startedAt + minIntervalMs, latestAt));
  }

  function schedule(): void {
    clearTimeout(timer);
    if (running === null && waiting.length > 0) timer = setTimeout(runIfDue, Math.max(0, dueAt() - performance.now()));
  }

  /** The interval may have grown meanwhile, and a timer may be early. */
  function runIfDue(): void {
    if (dueAt() > performance.now()) schedule();
    else running = runNext();
  }

  async function runNext(): Promise<void> {
    clearTimeout(timer);
    startedAt = performance.now();
    const batch = waiting.slice(0, maxSize);
    waiting = waiting.slice(maxSize);
    latestAt = Math.min(Infinity, ...waiting.map((left) => left.latestAt));
    await run(batch.map(({ item }) => item));
    running = null;
    schedule();
  }

  return {
    size: () => waiting.length,
    enqueue(item, itemLatestAt = Infinity) {
      const before = dueAt();
      waiting.push({ item, latestAt: itemLatestAt });
      latestAt = Math.min(latestAt, itemLatestAt);
      if (waiting.length === 1 || dueAt() < before) schedule();
    },
    async flush() {
      isFlushing = true;
      while (running !== null || waiting.length > 0) await (running ??= runNext());
    },
  };
}
