import type { ErrorCode } from '../platform/errors/errors.ts';
import type { WorkerContext } from '../worker-context.ts';

/** What submitting a recorded transaction works with. */
export type SubmissionContext = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'ledger'
  | 'networkState'
  | 'keys'
  | 'operatorBudget'
  | 'networkId'
  | 'confirmationDepth'
  | 'liquidityAddress'
  | 'operatorDeposits'
  | 'batchPaths'
  | 'durationBounds'
  | 'priceSource'
  | 'onUnjustified'
  | 'onQuarantine'
>;

/** 'done' when there is nothing left to submit; `unclear` when the same bytes have to be submitted again, and why. */
export type Submission = 'done' | { readonly unclear: string; readonly code?: ErrorCode };
