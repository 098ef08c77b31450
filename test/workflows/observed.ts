import type { Instant } from '../../src/platform/units/time.ts';

/** A call of an activity that has succeeded. */
export interface Call {
  readonly name: string;
  /** The workflow's time, if it was given one. */
  readonly now: Instant | undefined;
}

/** Activities that tell of each call that succeeds. */
export function observed(activities: object, onEnd: (call: Call) => void): object {
  return Object.fromEntries(
    Object.entries(activities as Record<string, (given: { now?: Instant }) => Promise<unknown>>).map(([name, run]) => [
      name,
      async (given: { now?: Instant }) => {
        const result = await run(given);
        onEnd({ name, now: given.now });
        return result;
      },
    ]),
  );
}
