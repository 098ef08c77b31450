import { setTimeout as pause } from 'node:timers/promises';

/** Repeats an attempt until it succeeds; throws, with the last failure as its cause, when `deadlineMs` have passed. */
export async function eventually<Result>(
  what: string,
  attempt: () => Promise<Result>,
  deadlineMs: number,
  everyMs = 50,
): Promise<Result> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (performance.now() > deadline) throw new Error(`${what}: not within ${deadlineMs / 1000} s`, { cause });
      await pause(everyMs);
    }
  }
}
