import { AsyncResource } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { batchIntervalMs, type Pace } from './rules/pace.ts';
import { ServiceError } from '../platform/errors.ts';
import type { AnchorCost, Anchors } from './anchors.ts';
import { createBatchQueue, URGENT } from './batch-queue.ts';
import { createAnchorChain, type AnchorChainDeps } from './anchor-chain.ts';
import { runBatch, type Waiting } from './write-batch.ts';

/** A larger batch would hold its locks, and keep its callers waiting, for too long. */
const MAX_BATCH_SIZE = 5000;
/** More writes would wait longer than their callers do. */
const MAX_WAITING = 20_000;
/** A write whose locks somebody holds tries again after this time, in milliseconds. */
const RETRY_MS = 250;
/** How long it tries, in milliseconds. Whoever holds a lock that long is frozen, and cut off by Postgres after 30 s. */
const PATIENCE_MS = 20_000;
/** An anchor chain sends all anchors that wait, and each time costs as much as an anchor, so it need not hear of each batch at once. */
const WAKE_INTERVAL_MS = 500;

export interface AnchorsDeps extends AnchorChainDeps {
  readonly pace: Pace;
  /** Called with the number of writes of each batch. */
  readonly onBatch?: (writes: number) => void;
  /** Called when the anchors of this process have spent the budget of a day. */
  readonly onBudgetSpent?: (cost: AnchorCost) => void;
}

/** Collects writes and runs them batch by batch, each batch under one Merkle root and one anchor transaction (design §5). */
export function createAnchors(deps: AnchorsDeps): Anchors {
  const { pace, unitOfWork, onBatch, onBudgetSpent } = deps;
  const { minIntervalMs, maxIntervalMs, dailyBudget } = pace;
  const anchorChain = createAnchorChain(deps);
  const wake = createWake(deps.outboxRelay);
  const retries = createRetries((write) => {
    queue.enqueue(write, URGENT);
  });
  let isClosed = false;
  const intervalMs = () => batchIntervalMs(pace, anchorChain.spentToday());
  const cost = () => ({ spentToday: anchorChain.spentToday(), dailyBudget, intervalMs: intervalMs(), maxIntervalMs });

  const enqueue = (write: Waiting) => {
    queue.enqueue(write, write.latestAt);
  };
  const queue = createBatchQueue<Waiting>({ minIntervalMs, intervalMs, maxSize: MAX_BATCH_SIZE }, async (writes) => {
    onBatch?.(writes.length);
    const spentBefore = anchorChain.spentToday();
    await runBatch({ unitOfWork, anchorChain, enqueue, retryLater: retries.add }, writes);
    if (spentBefore < dailyBudget && anchorChain.spentToday() >= dailyBudget) onBudgetSpent?.(cost());
    wake.soon();
  });

  const group: Anchors['group'] = (write, rulesOf) => (item) => {
    if (isClosed) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'another process' });
    if (queue.size() + retries.size() >= MAX_WAITING)
      throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1, waitingFor: 'earlier writes' });
    const { locks, maxWaitMs = Infinity } = rulesOf?.(item) ?? {};
    return new Promise((resolve, refuse) => {
      const untyped = { write: write as Waiting['write'], resolve: resolve as Waiting['resolve'] };
      enqueue({ ...untyped, item, locks, latestAt: performance.now() + maxWaitMs, refuse });
    });
  };

  return {
    group,
    async record(write, rules = {}) {
      // Its log lines belong to its own request, even when another request started the batch.
      const boundWrite = AsyncResource.bind(write);
      return group<null, Awaited<ReturnType<typeof write>>>(
        async (context) => [await boundWrite(context)],
        () => rules,
      )(null);
    },
    cost,
    async close() {
      isClosed = true;
      await retries.close();
      await queue.flush();
      wake.now();
      await anchorChain.release();
    },
  };
}

/** Writes whose locks somebody holds. Each tries again a moment later, and waits for no interval then: its deadline may be near. */
function createRetries(enqueue: (write: Waiting) => void) {
  const waiting = new Set<Promise<void>>();
  let isClosed = false;
  return {
    size: () => waiting.size,
    add: (write: Waiting): void => {
      const { giveUpAt = performance.now() + PATIENCE_MS, refuse } = write;
      if (isClosed || performance.now() >= giveUpAt) {
        refuse(new ServiceError('SERVICE_NOT_READY', { waitingFor: 'another write' }));
        return;
      }
      const retry = pause(RETRY_MS).then(() => {
        waiting.delete(retry);
        enqueue({ ...write, giveUpAt });
      });
      waiting.add(retry);
    },
    /** Ends when those that wait were added to the queue; the next ones are refused. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all(waiting);
    },
  };
}

/** Delivers the messages to the workflow of the anchor chain, those of an interval together. */
function createWake({ deliver }: AnchorChainDeps['outboxRelay']) {
  let timer: NodeJS.Timeout | null = null;
  let lastAt = -Infinity;
  function now(): void {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    lastAt = performance.now();
    deliver();
  }
  return {
    now,
    soon() {
      timer ??= setTimeout(now, Math.max(0, lastAt + WAKE_INTERVAL_MS - performance.now()));
    },
  };
}
