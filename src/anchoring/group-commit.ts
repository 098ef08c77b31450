import { AsyncResource } from 'node:async_hooks';
import { ServiceError } from '../domain/errors.ts';
import type { WriteLocks } from '../store/write-locks.ts';
import type { AnchoringContext, Anchors } from './anchors.ts';
import { runBatch } from './write-batch.ts';
import { createLane, type LaneDeps } from './lane.ts';
import { createWriteGroup, type WriteGroup } from './write-group.ts';

/** A larger batch would hold its locks, and keep its callers waiting, for too long. */
const MAX_BATCH_SIZE = 5000;

export interface AnchorsDeps extends LaneDeps {
  /** Milliseconds from one batch to the next. */
  readonly minIntervalMs: number;
  /** Called with the number of writes of each batch. */
  readonly onBatch?: (writes: number) => void;
}

/** More writes would wait longer than their callers do. */
const MAX_WAITING = 20_000;

/** Collects writes and runs them batch by batch, each batch under one Merkle root and one anchor transaction (design §5). */
export function createAnchors(deps: AnchorsDeps): Anchors {
  const lane = createLane(deps);
  let isClosed = false;
  const queue = createQueue(deps.minIntervalMs, async (groups) => {
    const writers = [...Map.groupBy(groups, (group) => group)].map(([group, { length }]) => group.take(length));
    deps.onBatch?.(groups.length);
    await runBatch(deps.unitOfWork, lane, writers);
    deps.outboxRelay.deliver();
  });

  const group: Anchors['group'] = (write, locksOf = () => undefined) => {
    const add = createWriteGroup(queue.enqueue, write, locksOf);
    return (item) => {
      if (isClosed) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'another instance' });
      if (queue.size() >= MAX_WAITING)
        throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1, waitingFor: 'earlier writes' });
      return add(item);
    };
  };

  return {
    group,
    async record<Result>(write: (context: AnchoringContext) => Promise<Result>, locks?: WriteLocks) {
      // Its log lines belong to its own request, even when another request started the batch.
      const boundWrite = AsyncResource.bind(write);
      return group<null, Result>(
        async (context) => [await boundWrite(context)],
        () => locks,
      )(null);
    },
    async close() {
      isClosed = true;
      await queue.flushNow();
      await lane.release();
    },
  };
}

/** Runs the enqueued groups in batches, one batch at a time; `enqueue` is called once for every item of a group. */
function createQueue(minIntervalMs: number, run: (groups: readonly WriteGroup[]) => Promise<void>) {
  let queued: WriteGroup[] = [];
  let running: Promise<void> | null = null;
  let nextAt = 0;
  let isFlushing = false;
  let endWait: (() => void) | null = null;

  async function runAll(): Promise<void> {
    while (queued.length > 0) {
      await waitUntilDue();
      nextAt = performance.now() + minIntervalMs;
      const batch = queued.slice(0, MAX_BATCH_SIZE);
      queued = queued.slice(MAX_BATCH_SIZE);
      await run(batch);
    }
    running = null;
  }

  function waitUntilDue(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, isFlushing ? 0 : Math.max(0, nextAt - performance.now()));
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    size: () => queued.length,
    enqueue: (group: WriteGroup): void => {
      queued.push(group);
      running ??= runAll();
    },
    /** Runs everything that is enqueued without waiting between batches. */
    async flushNow(): Promise<void> {
      isFlushing = true;
      endWait?.();
      await running;
    },
  };
}
