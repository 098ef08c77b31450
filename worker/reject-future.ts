import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Clock, Instant } from '../src/platform/units/time.ts';

/** Clocks of Temporal and of the worker differ by less, in milliseconds. */
const TOLERANCE_MS = 60_000;

/**
 * Refuses activities whose workflow is ahead of the worker's time: whoever can start workflows would otherwise end windows, votes and
 * claims before they are due. One that is behind was tried for long, or waits for what will not come.
 */
export function rejectFutureActivities({
  clock,
  readingTime,
}: {
  readonly clock: Clock;
  /** As `clock`, but also right after a development clock was moved. */
  readonly readingTime: () => Promise<Instant>;
}): ActivityInterceptorsFactory {
  return () => ({
    inbound: {
      async execute(input, next) {
        const { now } = (input.args[0] ?? {}) as { readonly now?: unknown };
        const isAhead = (of: Instant) => !(Number(now) <= of + TOLERANCE_MS);
        if (now !== undefined && isAhead(clock.now()) && isAhead(await readingTime()))
          throw new Error(`the time of the workflow (${JSON.stringify(now)}) is ahead of the time of this worker`);
        return next(input);
      },
    },
  });
}
