import type { Instant } from '../../platform/units/instant.ts';
import type { HoldReason } from '../../vaults/rules/hold.ts';
import { transactionWait } from './step-reason.ts';
import type { StepTransaction, StepView } from './steps.ts';

/** What has been returned of a vault that failed or was cancelled. */
export interface ReturnSnapshot {
  /** Null when no transaction returns anything. */
  readonly newest: Omit<StepTransaction, 'kind' | 'expiresAt'> | null;
  readonly finalTransactions: number;
  readonly holds: readonly HoldReason[];
  readonly terminatedAt: Instant | null;
}

/** The one step in which a vault ends that was never settled: its deposits return to their owners. */
export function viewReturnStep({ newest, finalTransactions, holds, terminatedAt }: ReturnSnapshot): StepView {
  const transactions = { transactionHash: newest?.hash ?? null, finalTransactions, at: newest?.at ?? null };
  return { name: 'return_deposits', ...transactions, ...progressOf(newest, holds, terminatedAt) };
}

function progressOf(
  newest: ReturnSnapshot['newest'],
  holds: ReturnSnapshot['holds'],
  terminatedAt: Instant | null,
): Pick<StepView, 'status' | 'reason'> {
  if (terminatedAt === null) return { status: 'running', reason: transactionWait(holds, newest?.state) };
  return newest === null ? { status: 'skipped', reason: 'nothing_left' } : { status: 'done', reason: null };
}
