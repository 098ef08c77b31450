import { AsyncResource } from 'node:async_hooks';
import { batchIntervalMs, type Pace } from './rules/pace.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { wallClock } from '../platform/units/clock.ts';
import type { AnchorCost, AnchoringContext, Anchors, RecordRules } from './anchors.ts';
import { createBatchQueue } from './batch-queue.ts';
import { createDaySpending } from './day-spending.ts';
import { runBatch } from './write-batch.ts';
import { createPostponed } from './postponed.ts';
import { createLane, type LaneDeps } from './lane.ts';
import { createWakes } from './throttle.ts';
import { createWriteGroup, type WriteGroup } from './write-group.ts';

/** A larger batch would hold its locks, and keep its callers waiting, for too long. */
const MAX_BATCH_SIZE = 5000;

export interface AnchorsDeps extends LaneDeps {
  readonly pace: Pace;
  /** Called with the number of writes of each batch. */
  readonly onBatch?: (writes: number) => void;
  /** Called when the anchors of this process have spent the budget of a day. */
  readonly onBudgetSpent?: (cost: AnchorCost) => void;
}

/** A lane sends all anchors that wait, and each time costs as much as an anchor, so it need not hear of each batch at once. */
const WAKE_INTERVAL_MS = 500;

/** More writes would wait longer than their callers do. */
const MAX_WAITING = 20_000;

/** Collects writes and runs them batch by batch, each batch under one Merkle root and one anchor transaction (design §5). */
export function createAnchors(deps: AnchorsDeps): Anchors {
  const spending = createDaySpending(wallClock);
  const wakes = createWakes(() => {
    deps.outboxRelay.deliver();
  }, WAKE_INTERVAL_MS);
  const lane = createLane({ ...deps, onSpent: spending.record, wakeDelayMs: wakes.delayMs });
  let isClosed = false;
  const { pace, unitOfWork, onBatch, onBudgetSpent } = deps;
  const { minIntervalMs, maxIntervalMs, dailyBudget } = pace;
  const intervalMs = () => batchIntervalMs(pace, spending.today());
  const cost = () => ({ spentToday: spending.today(), dailyBudget, intervalMs: intervalMs(), maxIntervalMs });
  const queue = createBatchQueue<WriteGroup>({ minIntervalMs, intervalMs, maxSize: MAX_BATCH_SIZE }, async (groups) => {
    const writers = [...Map.groupBy(groups, (group) => group)].map(([group, { length }]) => group.take(length));
    onBatch?.(groups.length);
    const spentBefore = spending.today();
    await runBatch(unitOfWork, lane, writers);
    if (spentBefore < dailyBudget && spending.today() >= dailyBudget) onBudgetSpent?.(cost());
    wakes.deliver();
  });

  const postponed = createPostponed();
  const group: Anchors['group'] = (write, rules = {}) => {
    const add = createWriteGroup({ enqueue: queue.enqueue, doLater: postponed.doLater }, write, rules);
    return (item) => {
      if (isClosed) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'another instance' });
      if (queue.size() + postponed.size() >= MAX_WAITING)
        throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1, waitingFor: 'earlier writes' });
      return add(item);
    };
  };

  return {
    group,
    async record<Result>(
      write: (context: AnchoringContext) => Promise<Result>,
      { locks, maxWaitMs = Infinity }: RecordRules = {},
    ) {
      // Its log lines belong to its own request, even when another request started the batch.
      const boundWrite = AsyncResource.bind(write);
      const rules = { locksOf: () => locks, maxWaitMsOf: () => maxWaitMs };
      return group<null, Result>(async (context) => [await boundWrite(context)], rules)(null);
    },
    cost,
    async close() {
      isClosed = true;
      await postponed.close();
      await queue.flushNow();
      wakes.flush();
      await lane.release();
    },
  };
}
