import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { wallClock, secondsAfter } from '../src/platform/units/time.ts';
import { followLedger, type LedgerNews, ledgerHoldText } from '../src/ledger-follower/follow-ledger.ts';
import { type BlockNews, resubmitAndExpire } from '../src/ledger-follower/resubmit-and-expire.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import { readLedgerHold } from '../src/ledger-follower/queries/blocks.ts';
import type { LedgerActivities } from '../src/platform/temporal/activity-types.ts';

const RUN_SECONDS = 55 * 60;
/** Where two histories part takes many calls to find out. */
const HELD_POLL_MS = 5000;

/** Reads each block once for everyone (design §4). Returns when the worker is stopping: the next worker continues at once. */
export function createLedgerActivities(context: WorkerContext): LedgerActivities {
  return {
    async followLedger({ held }) {
      const end = secondsAfter(wallClock.now(), RUN_SECONDS);
      const ended = AbortSignal.any([context.stopping, Context.current().cancellationSignal]);
      const resubmission = createResubmission(context);
      try {
        while (wallClock.now() < end && !ended.aborted) {
          const news = await followLedger({ ...context, ...context.follower });
          context.outboxRelay.deliver();
          if (news === 'blocks' || news === 'rollback') resubmission.start(news);
          const reason = await heldReason(context.follower, news);
          if (reason !== held) return { held: reason };
          if (news === 'held') await untilNextPoll(HELD_POLL_MS, ended);
          if (news === 'nothing') await untilNextPoll(Math.min(context.blockMs / 4, 5000), ended);
        }
        return { held };
      } finally {
        await resubmission.ended();
      }
    },
  };
}

/** What the Temporal UI shows while the follower waits for an operator; null while it does not. */
async function heldReason({ db }: WorkerContext['follower'], news: LedgerNews): Promise<string | null> {
  const hold = news === 'held' ? await readLedgerHold(db) : null;
  return hold && ledgerHoldText(hold);
}

/** Resubmits and expires the open transactions in the background of the loop, one run at a time: blocks do not wait for it, nor for its errors. */
function createResubmission(context: WorkerContext) {
  let running: Promise<void> | null = null;
  let next: BlockNews | null = null;

  async function run(): Promise<void> {
    while (next !== null) {
      const news = next;
      next = null;
      try {
        await resubmitAndExpire(context, news);
      } catch (error) {
        context.onTendingError(error);
      }
      context.outboxRelay.deliver();
    }
    running = null;
  }

  return {
    start(news: BlockNews): void {
      if (next !== 'rollback') next = news;
      running ??= run();
    },
    ended: () => running ?? Promise.resolve(),
  };
}

async function untilNextPoll(ms: number, ended: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal: ended });
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
