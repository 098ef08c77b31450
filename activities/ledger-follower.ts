import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { wallClock } from '../src/domain/units/clock.ts';
import { secondsAfter } from '../src/domain/units/instant.ts';
import { type FollowerContext, followLedger } from '../src/services/ledger/follow-ledger.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { LedgerActivities } from '../src/temporal/activity-types.ts';

const RUN_SECONDS = 55 * 60;

/** Reads each block once for everyone (design §4). Returns when the worker is stopping: the next worker continues at once. */
export function createLedgerActivities(
  context: FollowerContext & Pick<WorkerContext, 'outboxRelay' | 'stopping'>,
): LedgerActivities {
  return {
    async followLedger() {
      const end = secondsAfter(wallClock.now(), RUN_SECONDS);
      const ended = AbortSignal.any([context.stopping, Context.current().cancellationSignal]);
      while (wallClock.now() < end && !ended.aborted) {
        const hasNews = await followLedger(context);
        context.outboxRelay.deliver();
        if (!hasNews) await untilNextLook(Math.min(context.blockMs / 4, 5000), ended);
      }
    },
  };
}

async function untilNextLook(ms: number, ended: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal: ended });
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
