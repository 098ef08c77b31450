import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { wallClock } from '../src/domain/units/clock.ts';
import { secondsAfter } from '../src/domain/units/instant.ts';
import { followLedger, type LedgerNews } from '../src/services/ledger/follow-ledger.ts';
import { type TendingContext, tendTransactions } from '../src/services/ledger/tend-transactions.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { LedgerActivities } from '../src/temporal/activity-types.ts';

type FollowerContext = TendingContext & Pick<WorkerContext, 'outboxRelay' | 'stopping' | 'onTendingError'>;

const RUN_SECONDS = 55 * 60;

/** Reads each block once for everyone (design §4). Returns when the worker is stopping: the next worker continues at once. */
export function createLedgerActivities(context: FollowerContext): LedgerActivities {
  return {
    async followLedger() {
      const end = secondsAfter(wallClock.now(), RUN_SECONDS);
      const ended = AbortSignal.any([context.stopping, Context.current().cancellationSignal]);
      const tending = createTending(context);
      try {
        while (wallClock.now() < end && !ended.aborted) {
          const news = await followLedger(context);
          context.outboxRelay.deliver();
          if (news === 'nothing') await untilNextLook(Math.min(context.blockMs / 4, 5000), ended);
          else tending.start(news);
        }
      } finally {
        await tending.ended();
      }
    },
  };
}

/** Tends the open transactions beside the loop, one run at a time: blocks do not wait for it, nor for its errors. */
function createTending(context: FollowerContext) {
  let running: Promise<void> | null = null;
  let next: Exclude<LedgerNews, 'nothing'> | null = null;

  async function run(): Promise<void> {
    while (next !== null) {
      const news = next;
      next = null;
      try {
        await tendTransactions(context, news);
      } catch (error) {
        context.onTendingError(error);
      }
      context.outboxRelay.deliver();
    }
    running = null;
  }

  return {
    start(news: Exclude<LedgerNews, 'nothing'>): void {
      if (next !== 'rollback') next = news;
      running ??= run();
    },
    ended: () => running ?? Promise.resolve(),
  };
}

async function untilNextLook(ms: number, ended: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal: ended });
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
