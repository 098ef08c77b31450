import { condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Instant } from '../src/domain/units/instant.ts';
import type { WorkflowInput } from '../src/temporal/messages.ts';
import { hasChange } from './changes.ts';
import { restartInWait } from './restart.ts';

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
  /** Waits for the first signal of the run, at most until the deadline, and no longer than any wait goes without reading. */
  waitForFirstSignal(what: string, deadline: Instant): Promise<void>;
  /** Waits until `read` returns a result, reading again after every signal. */
  waitFor<Result>(read: Read<Result>): Promise<Result>;
  /** Awaits an activity that may be tried for long. Signals that fill the history meanwhile end the run: the next one begins it again. */
  tryForLong<Result>(act: () => Promise<Result>): Promise<Result>;
}

interface WaitDeps {
  readonly input: WorkflowInput;
  readonly now: () => Instant;
  readonly watchSignals: () => () => boolean;
  /** Whether a signal has come, also before the first task. */
  readonly hasBeenSignalled: () => boolean;
}

const nothing = () => Promise.resolve(null);

/**
 * The waits of a workflow (design D46). However many signals come, one read at a time answers them, and a history that they fill ends
 * by continuing as new; without any, the wait still reads again, later and later.
 */
export function createWaits({ input, now, watchSignals, hasBeenSignalled }: WaitDeps): Waits {
  const orFull = createOrFull(input, watchSignals);
  // Earlier releases waited for each read, and in a history of theirs not one promise may resolve later than it did.
  const bounded = <Result>(read: Read<Result>): Promise<Result | null> =>
    read !== nothing && hasChange('bounded-waits') ? orFull(read) : read();
  return {
    async waitUntil(what, deadline, read = nothing) {
      const pauses = growingPauses();
      for (;;) {
        const isSignalled = watchSignals();
        const result = await bounded(read);
        if (result !== null) return result;
        if (deadline <= now()) return 'due';
        await restartInWait(input);
        const left = deadline - now();
        const pause = read === nothing || !hasChange('bounded-waits') ? left : Math.min(left, pauses.next());
        const summary = pause < left ? `${what}; read again meanwhile` : what;
        if (await condition(isSignalled, pause, { summary })) pauses.restart();
      }
    },
    async waitForFirstSignal(what, deadline) {
      const pause = Math.min(deadline - now(), FIRST_PAUSE_MS);
      if (pause > 0 && !hasBeenSignalled()) await condition(hasBeenSignalled, pause, { summary: what });
    },
    async waitFor(read) {
      const pauses = growingPauses();
      for (;;) {
        const isSignalled = watchSignals();
        const result = await bounded(read);
        if (result !== null) return result;
        await restartInWait(input);
        if (!hasChange('bounded-waits')) await condition(isSignalled);
        else if (await condition(isSignalled, pauses.next(), { summary: 'read again meanwhile' })) pauses.restart();
      }
    },
    tryForLong(act) {
      return hasChange('bounded-submissions') ? orFull(act) : act();
    },
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
