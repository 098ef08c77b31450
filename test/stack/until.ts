import { setTimeout as pause } from 'node:timers/promises';

interface WaitOptions {
  readonly deadlineMs?: number;
  /** What is waited for, for the message when it does not come. */
  readonly what: string;
}

/**
 * Repeats a call until its result is neither undefined, null nor false, and returns it. Fails at the deadline with the last result
 * or error.
 */
export async function until<Answer>(
  ask: () => Promise<Answer> | Answer,
  { what, deadlineMs = 240_000 }: WaitOptions,
): Promise<Exclude<Answer, undefined | null | false>> {
  const began = performance.now();
  const deadline = began + deadlineMs;
  for (;;) {
    const attempt = await Promise.resolve()
      .then(ask)
      .then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      );
    if ('answer' in attempt) {
      const { answer } = attempt;
      if (answer !== undefined && answer !== null && answer !== false) {
        return answer as Exclude<Answer, undefined | null | false>;
      }
    }
    if (performance.now() > deadline) {
      throw new Error(`${what}: not within ${deadlineMs / 1000} s`, 'error' in attempt ? { cause: attempt.error } : {});
    }
    await pause(pauseAfter(performance.now() - began));
  }
}

/** A tenth of the time waited so far, from 40 to 200 ms: each call costs CPU time in the service under test. */
function pauseAfter(waitedMs: number): number {
  return Math.min(200, Math.max(40, waitedMs / 10));
}
