import type { ErrorCode } from '../../platform/error-registry.ts';
import type { Lovelace } from '../../platform/units/money.ts';
import type { Instant } from '../../platform/units/time.ts';

/** How long facts wait for each other, and what the anchors of a process should cost. */
export interface Pace {
  /** Milliseconds from one batch to the next while nothing of the budget is spent. */
  readonly minIntervalMs: number;
  /** The same when all of it is spent: the longest that a fact waits for its batch. */
  readonly maxIntervalMs: number;
  /** Lovelace for the anchors of one process on one day. It refuses nothing: one caller who spends it would end the votes of all others. */
  readonly dailyBudget: Lovelace;
}

/** Milliseconds from one batch to the next: the more of the day's budget is spent, the longer facts wait for each other. */
export function batchIntervalMs({ minIntervalMs, maxIntervalMs, dailyBudget }: Pace, spent: Lovelace): number {
  if (spent >= dailyBudget) return maxIntervalMs;
  return minIntervalMs + ((maxIntervalMs - minIntervalMs) * Number(spent)) / Number(dailyBudget);
}

/** What has to be in time is written so long before its deadline, however long facts wait for each other. */
const WRITTEN_BEFORE_DEADLINE_MS = 2000;

/**
 * The milliseconds that a fact should wait at most: until shortly before the next of the instants that decide about it. One that comes after
 * all of them is refused anyway, and must not take along what can wait.
 */
export function maxWaitMsBefore(deadlines: readonly Instant[], now: Instant): number {
  const next = Math.min(...deadlines.filter((deadline) => deadline > now));
  return Math.max(0, next - now - WRITTEN_BEFORE_DEADLINE_MS);
}

export type AnchorWaitCause = 'ledger' | 'operator_funds' | 'operator_budget' | 'other';

/** What the anchors of an anchor chain wait for, and how an operator is told. */
export interface AnchorWait {
  readonly cause: AnchorWaitCause;
  readonly sentence: string;
}

const known: { readonly [Code in ErrorCode]?: AnchorWait } = {
  LEDGER_UNAVAILABLE: {
    cause: 'ledger',
    sentence: 'Waits for the ledger, which cannot be reached or gives no clear response.',
  },
  INSUFFICIENT_FUNDS: {
    cause: 'operator_funds',
    sentence: 'Waits for ADA: the address of the operator has too little.',
  },
  OPERATOR_BUDGET_SPENT: {
    cause: 'operator_budget',
    sentence: 'Waits until midnight (UTC): the operator pays for no more anchors today (OPERATOR_DAILY_ADA).',
  },
};

/** What an anchor chain waits for that could not send its anchors for a reason, which has a code where it is known. */
export function anchorWaitFor(code: ErrorCode | undefined, reason: string): AnchorWait {
  const wait = code && known[code];
  return wait ?? { cause: 'other', sentence: `Waits and tries again: ${reason}.` };
}
