export interface BatchQueueOptions {
  /** Milliseconds from one batch to the next. */
  readonly minIntervalMs: number;
  readonly maxSize: number;
}

/** Collects items for batches that run one after the other. */
export interface BatchQueue<Item> {
  readonly size: () => number;
  readonly enqueue: (item: Item) => void;
  /** Runs everything that is enqueued without waiting between batches. */
  readonly flushNow: () => Promise<void>;
}

/**
 * Each batch costs an anchor. One that comes before the interval has passed must carry at least so many items for each millisecond of the
 * interval: then no fact costs more than it would when so many arrive all the time.
 */
const EARLY_ITEMS_PER_MS = 0.4;

/**
 * Runs `run` with the enqueued items, one batch at a time: as soon as the last one has ended, if enough items wait to be worth an anchor,
 * else when the interval from the start of the last one has passed.
 */
export function createBatchQueue<Item>(
  { minIntervalMs, maxSize }: BatchQueueOptions,
  run: (items: readonly Item[]) => Promise<void>,
): BatchQueue<Item> {
  const earlySize = Math.max(1, Math.ceil(minIntervalMs * EARLY_ITEMS_PER_MS));
  let queued: Item[] = [];
  let running: Promise<void> | null = null;
  let nextAt = 0;
  let isFlushing = false;
  let endWait: (() => void) | null = null;

  async function runAll(): Promise<void> {
    while (queued.length > 0) {
      await waitUntilDue();
      nextAt = performance.now() + minIntervalMs;
      const batch = queued.slice(0, maxSize);
      queued = queued.slice(maxSize);
      await run(batch);
    }
    running = null;
  }

  function waitUntilDue(): Promise<void> {
    const waitMs = isFlushing || queued.length >= earlySize ? 0 : Math.max(0, nextAt - performance.now());
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    size: () => queued.length,
    enqueue: (item) => {
      queued.push(item);
      running ??= runAll();
      if (queued.length >= earlySize) endWait?.();
    },
    flushNow: async () => {
      isFlushing = true;
      endWait?.();
      await running;
    },
  };
}
