import { Context, sleep } from '@temporalio/activity';
import { wallClock } from '../src/domain/units/clock.ts';
import { secondsAfter } from '../src/domain/units/instant.ts';
import { type FollowerContext, followLedger } from '../src/services/ledger/follow-ledger.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { LedgerActivities } from '../src/temporal/activities.ts';

const RUN_SECONDS = 55 * 60;

/** Reads each block once for everyone (design §4). */
export function createLedgerActivities(
  context: FollowerContext & Pick<WorkerContext, 'outboxRelay'>,
): LedgerActivities {
  return {
    async followLedger() {
      const end = secondsAfter(wallClock.now(), RUN_SECONDS);
      const { cancellationSignal } = Context.current();
      while (wallClock.now() < end && !cancellationSignal.aborted) {
        const hasNews = await followLedger(context);
        context.outboxRelay.deliver();
        if (!hasNews) await sleep(Math.min(context.blockMs / 4, 5000));
      }
    },
  };
}
