import { AsyncResource } from 'node:async_hooks';
import { ServiceError } from '../domain/errors.ts';
import type { WriteLocks } from '../store/write-locks.ts';
import type { AnchoringContext, Anchors } from './anchors.ts';
import { createBatchQueue } from './batch-queue.ts';
import { runBatch } from './write-batch.ts';
import { createLane, type LaneDeps } from './lane.ts';
import { createThrottle } from './throttle.ts';
import { createWriteGroup, type WriteGroup } from './write-group.ts';

/** A larger batch would hold its locks, and keep its callers waiting, for too long. */
const MAX_BATCH_SIZE = 5000;

export interface AnchorsDeps extends LaneDeps {
  /** Milliseconds from one batch to the next. */
  readonly minIntervalMs: number;
  /** Called with the number of writes of each batch. */
  readonly onBatch?: (writes: number) => void;
}

/** Lanes send all anchors that wait, so they need not hear of each batch at once. */
const DELIVERY_INTERVAL_MS = 250;

/** More writes would wait longer than their callers do. */
const MAX_WAITING = 20_000;

/** Collects writes and runs them batch by batch, each batch under one Merkle root and one anchor transaction (design §5). */
export function createAnchors(deps: AnchorsDeps): Anchors {
  const lane = createLane(deps);
  let isClosed = false;
  const { minIntervalMs, unitOfWork, outboxRelay, onBatch } = deps;
  const delivery = createThrottle(() => {
    outboxRelay.deliver();
  }, DELIVERY_INTERVAL_MS);
  const queue = createBatchQueue<WriteGroup>({ minIntervalMs, maxSize: MAX_BATCH_SIZE }, async (groups) => {
    const writers = [...Map.groupBy(groups, (group) => group)].map(([group, { length }]) => group.take(length));
    onBatch?.(groups.length);
    await runBatch(unitOfWork, lane, writers);
    delivery.request();
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
      delivery.flush();
      await lane.release();
    },
  };
}
