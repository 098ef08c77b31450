import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import { type Instant, isoText, secondsAfter } from '../src/platform/units/time.ts';
import { planning } from './activity-proxies.ts';
import type { Progress } from './progress.ts';
import { restartWhenLong } from './restart.ts';

/** The wait after a first failure doubles with each further one. */
const firstWaitSeconds = { ledgerRefusal: 30, activityFailure: 2 } as const;
/** After several failures an operator has to look, so it is tried less often. */
const LONGEST_WAIT_SECONDS = 15 * 60;
/** The pause before another look at outputs that another transaction holds. */
const HELD_SECONDS = 30;
/** What has to wait this long is shown as a hold of the vault. */
const HELD_FROM_SECONDS = 60;

/** A step that is tried until it succeeds. */
export interface Step {
  readonly vaultId: string;
  /** As in "another try of the mint". */
  readonly name: string;
  /** A wait between two tries ends with it. */
  readonly deadline: Instant | null;
}

/** What has failed: the ledger refused a transaction, or an activity of few attempts threw. */
type FailureKind = keyof typeof firstWaitSeconds;

/** Counts the failures of one step and waits after each, longer and longer. */
interface Failures {
  /** Shows why, raises a hold when it fails again and again, and waits until it is time for another try. */
  waitAfter(why: string): Promise<void>;
  /** Shows why it has not succeeded yet. */
  show(why: string): void;
  /** Shows it and raises a hold, without a wait. */
  hold(why: string): Promise<void>;
  /** It has succeeded: nothing is shown any more. */
  end(): void;
}

export function trackFailures(progress: Progress, { vaultId, name, deadline }: Step, kind: FailureKind): Failures {
  let failures = 0;
  let isShown = false;
  const show = (note: string) => {
    isShown = true;
    progress.setNote(note);
  };
  return {
    async waitAfter(why) {
      const seconds = Math.min(firstWaitSeconds[kind] * 2 ** failures, LONGEST_WAIT_SECONDS);
      failures += 1;
      const retriedAt = secondsAfter(progress.now(), seconds);
      const until = deadline !== null && progress.now() < deadline && deadline < retriedAt ? deadline : retriedAt;
      show(`Failures of ${name}: ${failures} (${why}). The next try is at ${isoText(until)}.`);
      if (seconds >= HELD_FROM_SECONDS) await raiseHold(progress, vaultId);
      await progress.waitUntil(`another try of ${name}`, until);
      await restartWhenLong(progress.input);
    },
    show(why) {
      show(`Waiting for ${name}: ${why}.`);
    },
    async hold(why) {
      show(`Waiting for ${name}: ${why}.`);
      await raiseHold(progress, vaultId);
    },
    end() {
      if (isShown) progress.setNote(null);
    },
  };
}

/** The hold only informs: what it is about is tried again without it. */
async function raiseHold(progress: Progress, vaultId: string): Promise<void> {
  await planning.holdForFailures({ vaultId, now: progress.now() }).catch(ignoreActivityFailure);
}

/**
 * Runs activities of few attempts (`activity-proxies.ts`) again and again, with the workflow's time of each try, until they
 * succeed. Returns 'due' when the step's deadline passes before that; a deadline that has passed already is none.
 */
export async function untilDone<Result>(
  progress: Progress,
  step: Step,
  run: () => Promise<Result>,
): Promise<Result | 'due'> {
  const { deadline } = step;
  const isBounded = deadline !== null && progress.now() < deadline;
  const failures = trackFailures(progress, step, 'activityFailure');
  for (;;) {
    try {
      const result = await run();
      failures.end();
      return result;
    } catch (error) {
      const why = ignoreActivityFailure(error);
      if (isBounded && deadline <= progress.now()) return 'due';
      await failures.waitAfter(why);
      if (isBounded && deadline <= progress.now()) return 'due';
    }
  }
}

function ignoreActivityFailure(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return error.cause?.message ?? error.message;
}

/** Waits a moment for outputs that another transaction holds. */
export async function waitForHeld(progress: Progress, what: string): Promise<void> {
  const until = secondsAfter(progress.now(), HELD_SECONDS);
  progress.setNote(`Another transaction uses ${what}. The next try is at ${isoText(until)}.`);
  await progress.waitUntil(`another check of ${what}`, until);
  progress.setNote(null);
}

/** Runs the main part of a workflow while others run beside it: if one of these fails or continues as new, so does the workflow. */
export function runWithBackground<Result>(main: Promise<Result>, ...others: Promise<unknown>[]): Promise<Result> {
  const failing = others.map(async (other): Promise<never> => {
    await other;
    return condition(() => false) as Promise<never>;
  });
  return Promise.race([main, ...failing]);
}
