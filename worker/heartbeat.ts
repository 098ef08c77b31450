import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

const EVERY_MS = 1000;

/**
 * Sends heartbeats for every running activity, so that the work of a killed worker goes to another one after the heartbeat
 * timeout, not only after the activity's whole timeout. A cancelled activity (when the grace period of a shutdown is over) is
 * abandoned, as in a crash, and started again elsewhere.
 */
export function heartbeatWhileRunning(context: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const beat = setInterval(() => {
          context.heartbeat();
        }, EVERY_MS);
        try {
          return await Promise.race([next(input), context.cancelled]);
        } finally {
          clearInterval(beat);
        }
      },
    },
  };
}
