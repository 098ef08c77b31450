import type { ErrorCode } from '../../platform/errors/errors.ts';

export type LaneWaitCause = 'ledger' | 'operator_funds' | 'operator_budget' | 'other';

/** What the anchors of a lane wait for, and how an operator is told. */
export interface LaneWait {
  readonly cause: LaneWaitCause;
  readonly sentence: string;
}

const known: { readonly [Code in ErrorCode]?: LaneWait } = {
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

/** What a lane waits for that could not send its anchors for a reason, which has a code where it is known. */
export function laneWaitFor(code: ErrorCode | undefined, reason: string): LaneWait {
  const wait = code && known[code];
  return wait ?? { cause: 'other', sentence: `Waits and tries again: ${reason}.` };
}
