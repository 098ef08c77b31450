import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

const HEARTBEAT_INTERVAL_MS = 1000;

/**
 * Sends heartbeats for every running activity. If the worker is killed, Temporal then starts its activities on another worker
 * after the heartbeat timeout, which is shorter than the timeout of the activity. An activity that is cancelled, because the
 * grace period of a shutdown is over, is abandoned and started elsewhere, as after a crash.
 */
export function sendHeartbeats(context: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const timer = setInterval(() => {
          context.heartbeat();
        }, HEARTBEAT_INTERVAL_MS);
        try {
          return await Promise.race([next(input), context.cancelled]);
        } finally {
          clearInterval(timer);
        }
      },
    },
  };
}
