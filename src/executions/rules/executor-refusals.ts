import type { ErrorCode } from '../../platform/errors/errors.ts';

/** What decides whether a wallet may freeze and execute a proposal whose phase allows it. */
export interface ExecutorSnapshot {
  /** Whether it is the proposer, the admin of the vault, or may cosign. */
  readonly hasPart: boolean;
  /** Whether a new execution would have it as buyer, seller or holder. */
  readonly isPartner: boolean;
  /** Whether the vote did not name it as that, and too many executions with it have failed. */
  readonly isRefusedPartner: boolean;
  /** The execution that collects signatures; null when there is none. */
  readonly frozen: { readonly isOwn: boolean; readonly isPartner: boolean } | null;
}

/** The error code for freezing a new execution; undefined when the wallet may. */
export function freezeRefusal({
  hasPart,
  isPartner,
  isRefusedPartner,
  frozen,
}: ExecutorSnapshot): ErrorCode | undefined {
  if (hasPart) return undefined;
  // A buyer or seller alone may replace only what they froze themselves.
  if (!isPartner || frozen?.isOwn === false) return 'EXECUTOR_NOT_ELIGIBLE';
  return isRefusedPartner ? 'PARTNER_REFUSED' : undefined;
}

/** The error code for executing; undefined when the wallet may. Without a frozen execution the operation freezes one. */
export function executeRefusal(executor: ExecutorSnapshot): ErrorCode | undefined {
  if (executor.frozen === null) return freezeRefusal(executor);
  return executor.hasPart || executor.frozen.isPartner ? undefined : 'EXECUTOR_NOT_ELIGIBLE';
}
