import { wallClock, type Instant, secondsAfter } from '../../src/platform/units/time.ts';
import type { WorkflowInput, WorkflowSignal } from '../../src/platform/temporal/messages.ts';

/** A wait of a workflow, with activities that keep it waiting until what it waits for has happened. */
export interface Wait {
  readonly type: string;
  readonly workflowId: string;
  readonly input: WorkflowInput;
  readonly signal: WorkflowSignal;
  readonly activities: (isOver: () => boolean) => Readonly<Record<string, unknown>>;
  /** What the workflow shows while it waits. */
  readonly waiting: string;
  /** What it shows, or the activity that succeeds, when it continues. */
  readonly goneOn: { readonly details: string } | { readonly activity: string };
  /** Whether an activity is tried again and again, so that only signals fill the history. */
  readonly isTrying?: true;
  /** After how long the wait ends; set when only time ends it. */
  readonly endsAfterMs?: number;
}

/** Runs forget the offset of their clock if it is not carried on. */
export const CLOCK_OFFSET_MS = 3 * 86_400_000;
const HOUR = 3600;

/** Of the workflow's clock. */
const start: Instant = secondsAfter(wallClock.now(), CLOCK_OFFSET_MS / 1000);
export const anHourAgo = secondsAfter(start, -HOUR);
export const inAnHour = secondsAfter(start, HOUR);
export const tomorrow = secondsAfter(start, 24 * HOUR);

/** An activity that fails, and so is tried again and again, until it can succeed. */
export const succeedsWhen = (isOver: () => boolean) => () =>
  isOver() ? Promise.resolve() : Promise.reject(new Error('the ledger does not respond'));
