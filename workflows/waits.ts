import { condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Instant } from '../src/platform/units/time.ts';
import type { WorkflowInput } from '../src/platform/temporal/messages.ts';
import { restartWhenLong } from './restart.ts';

/** A wait reads again after this time without a signal, then after ever longer ones: a lost signal costs time only. */
const FIRST_PAUSE_MS = 3_600_000;
/** Few enough steps for a development clock that skips a year, and few enough events for a vault that is idle for years. */
const PAUSE_GROWTH = 8;
const LONGEST_PAUSE_MS = 7 * 86_400_000;

/** Reads from Postgres what a workflow waits for; null while it has not happened. */
type Read<Result> = () => Promise<Result | null>;

export interface Waits {
  /** Waits until `read` returns a result, reading again after every signal; returns 'due' when the deadline comes first. */
  waitUntil<Result = never>(what: string, deadline: Instant, read?: Read<Result>): Promise<Result | 'due'>;
  /** Waits until `read` returns a result, reading again after every signal. */
  waitFor<Result>(read: Read<Result>): Promise<Result>;
  /** Awaits an activity that may be tried for long. Signals that fill the history meanwhile end the run: the next one begins it again. */
  tryForLong<Result>(act: () => Promise<Result>): Promise<Result>;
}

interface WaitDeps {
  readonly input: WorkflowInput;
  readonly now: () => Instant;
  readonly watchSignals: () => () => boolean;
  /** What a wait that has no name of its own is for. */
  readonly reason: () => string;
}

const nothing = () => Promise.resolve(null);

/**
 * The waits of a workflow (design D46). However many signals come, one read at a time answers them, and a history that they fill ends
 * by continuing as new; without any, the wait still reads again, later and later.
 */
export function createWaits({ input, now, watchSignals, reason }: WaitDeps): Waits {
  const orFull = createOrFull(input, watchSignals);
  return {
    async waitUntil(what, deadline, read = nothing) {
      const pauses = growingPauses();
      for (;;) {
        const isSignalled = watchSignals();
        const result = await orFull(read);
        if (result !== null) return result;
        if (deadline <= now()) return 'due';
        await restartWhenLong(input);
        const left = deadline - now();
        const pause = read === nothing ? left : Math.min(left, pauses.next());
        const summary = pause < left ? `${what} (checks again before)` : what;
        if (await condition(isSignalled, pause, { summary })) pauses.restart();
      }
    },
    async waitFor(read) {
      const pauses = growingPauses();
      for (;;) {
        const isSignalled = watchSignals();
        const result = await orFull(read);
        if (result !== null) return result;
        await restartWhenLong(input);
        if (await condition(isSignalled, pauses.next(), { summary: `${reason()} (checks again)` })) pauses.restart();
      }
    },
    tryForLong: orFull,
  };
}

/** Returns a function that awaits an activity until signals have filled the history: then the next run begins it again. */
function createOrFull(input: WorkflowInput, watchSignals: () => () => boolean) {
  const full = Symbol('full');
  return async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const isSignalled = watchSignals();
    const acting = act();
    let isDone = false;
    const filled = condition(() => isDone || (isSignalled() && workflowInfo().continueAsNewSuggested));
    const first = await Promise.race([acting.finally(() => (isDone = true)), filled.then(() => full)]);
    if (first === full) await continueAsNew(input);
    return acting;
  };
}

function growingPauses() {
  let next = FIRST_PAUSE_MS;
  return {
    next(): number {
      const pause = next;
      next = Math.min(next * PAUSE_GROWTH, LONGEST_PAUSE_MS);
      return pause;
    },
    /** Where a signal came, more may follow, and one of them may be lost. */
    restart(): void {
      next = FIRST_PAUSE_MS;
    },
  };
}
