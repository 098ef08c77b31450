import type { Steps } from '../../src/platform/states.ts';

/** The result of all steps, without a pause. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
