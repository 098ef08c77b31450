import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

const EVERY_MS = 1000;

/**
 * Lets every running activity tell Temporal that its worker lives, so that work of a worker that was killed is given to
 * another after the heartbeat timeout and not only after the activity's whole time is up. One that is cancelled (when the
 * grace of a shutdown is over) is left to itself, as by a crash, and begun again elsewhere.
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
