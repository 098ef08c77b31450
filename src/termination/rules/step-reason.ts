import { isOpen, type TransactionState } from '../../transactions/rules/transaction-state.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { HoldReason } from '../../vaults/rules/hold.ts';
import type { TerminationStep } from './termination-step.ts';

/** Holds that an operator has to look at: they concern the end of a vault as well. */
const operatorHolds = [
  'unjustified_transaction',
  'quarantined',
  'repeated_failures',
] as const satisfies readonly HoldReason[];

export const stepReasons = [
  'settlement_rolled_back',
  'executions_not_final',
  'rotation',
  'cosigners_to_sign',
  'transaction_not_final',
  'claim_deadline',
  'claims_not_final',
  'after_claims',
  ...operatorHolds,
  'assets_without_recipient',
  'liquidity_share_elsewhere',
  'no_recipient',
  'nothing_left',
] as const;
/** What a step in which a vault ends waits for, why it was skipped, or what it could not do. */
export type StepReason = (typeof stepReasons)[number];

/** What the steps of an end wait for besides their transactions. */
export interface StepWaits {
  readonly now: Instant;
  /** Whether the settlement is complete on the ledger at present. */
  readonly isSettled: boolean;
  readonly isRotating: boolean;
  /** Whether an execution, or a claim, was sent that is not final. */
  readonly awaitsExecution: boolean;
  readonly awaitsClaim: boolean;
  readonly claimDeadline: Instant | null;
  /** Whether the vault has assets for which nobody is named, and no tokens circulate. */
  readonly hasOwnerlessAssets: boolean;
  readonly holds: readonly HoldReason[];
}

/** What a step that is being taken waits for; null when it only has to be taken. */
export function reasonToWait(
  name: TerminationStep,
  waits: StepWaits,
  newest: TransactionState | undefined,
): StepReason | null {
  const wait = transactionWait(waits.holds, newest);
  if (name === 'claims') return claimsWait(waits, wait);
  if (name === 'end_proposals') return proposalsWait(waits) ?? wait;
  // A rollback, or what comes late to a former custody, keeps the claims from opening.
  return wait ?? (waits.claimDeadline === null ? proposalsWait(waits) : null);
}

/** What a step waits for that is being taken by transactions; null when only the next one has to be made. */
export function transactionWait(holds: readonly HoldReason[], newest: TransactionState | undefined): StepReason | null {
  if (newest === 'awaiting_signatures') return 'cosigners_to_sign';
  const hold = operatorHolds.find((reason) => holds.includes(reason));
  return hold ?? (newest !== undefined && isOpen(newest) ? 'transaction_not_final' : null);
}

function proposalsWait({ isSettled, awaitsExecution, isRotating }: StepWaits): StepReason | null {
  if (!isSettled) return 'settlement_rolled_back';
  if (awaitsExecution) return 'executions_not_final';
  return isRotating ? 'rotation' : null;
}

function claimsWait(waits: StepWaits, hold: StepReason | null): StepReason | null {
  const { awaitsExecution, awaitsClaim, claimDeadline, now, hasOwnerlessAssets } = waits;
  if (awaitsExecution) return 'executions_not_final';
  if (claimDeadline !== null && now < claimDeadline)
    return hasOwnerlessAssets ? 'assets_without_recipient' : 'claim_deadline';
  return hold ?? (awaitsClaim ? 'claims_not_final' : null);
}
