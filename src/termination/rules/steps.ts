import { type Instant, secondsAfter } from '../../platform/units/time.ts';
import { isOpen, type TransactionState, visibleState } from '../../transactions/rules.ts';
import type { HoldReason, VaultTerms } from '../../vaults/rules/vault.ts';

export const stepStatuses = ['pending', 'running', 'waiting_for_cosigners', 'done', 'skipped'] as const;
export type StepStatus = (typeof stepStatuses)[number];

export interface StepView {
  readonly name: TerminationStep | 'return_deposits';
  readonly status: StepStatus;
  /** Of its newest transaction; null when it has none. */
  readonly transactionHash: string | null;
  /** How many of its transactions are final. */
  readonly finalTransactions: number;
  readonly reason: StepReason | null;
  /** When its newest transaction changed, or a step without one was done; null before. */
  readonly at: Instant | null;
}

interface StepTransaction {
  readonly kind: string;
  readonly hash: string;
  readonly state: TransactionState;
  /** The last instant for signatures. */
  readonly expiresAt: Instant;
  readonly at: Instant;
}

/** The state of a vault that ends from which its steps follow. */
export interface StepsSnapshot extends StepWaits {
  /** Whether a proposal is live before the pot is gathered. */
  readonly hasLiveProposals: boolean;
  /** Of all steps, oldest first. */
  readonly transactions: readonly StepTransaction[];
  /** When the first transaction was made that gathers the pot. */
  readonly gatheringBegunAt: Instant | null;
  readonly claimsOpenedAt: Instant | null;
  /** Null until the claims are over. */
  readonly endedBecause: TerminationEnd | null;
  readonly claimsEndedAt: Instant | null;
  /** Whether a wallet is named for assets, for those that are left after the claims, and for what nobody claims. */
  readonly namesAssetRecipient: boolean;
  readonly namesLastAssetRecipient: boolean;
  readonly namesLovelaceRecipient: boolean;
  /** Whether the vault has assets, and whether some of them can go to a wallet now. */
  readonly hasAssets: boolean;
  readonly hasAssetsToHand: boolean;
  readonly isPotEmpty: boolean;
  /** Whether the platform has no key for the liquidity share; null until the pot is gathered. */
  readonly isLiquidityElsewhere: boolean | null;
  readonly terminatedAt: Instant | null;
}

export function viewSteps(read: StepsSnapshot): StepView[] {
  const transactions = read.transactions.map((one) => ({ ...one, state: visibleState(one, read.now) }));
  const snapshot = { ...read, transactions };
  const order = orderOf(snapshot);
  const reached = snapshot.terminatedAt === null ? order.indexOf(reachedStep(snapshot)) : order.length;
  return terminationSteps.map((name) => {
    const made = snapshot.transactions.filter(({ kind }) => kind === name);
    const newest = made.at(-1);
    const skipped = reasonToSkip(name, snapshot, order.indexOf(name) < reached && made.length === 0);
    const status = skipped === null ? statusAt(order.indexOf(name), reached, newest) : 'skipped';
    return {
      name,
      status,
      transactionHash: newest?.hash ?? null,
      finalTransactions: made.filter(({ state }) => state === 'final').length,
      reason: skipped ?? reasonOf(name, status, snapshot, newest),
      at: newest?.at ?? (status === 'done' ? doneAt(name, snapshot) : null),
    };
  });
}

/** Named assets are handed over before the claims open, all others when the claims are over. */
function orderOf(snapshot: StepsSnapshot): readonly TerminationStep[] {
  const others: TerminationStep[] = terminationSteps.filter((name) => name !== 'hand_over');
  const claims = others.indexOf('claims');
  const isLast = snapshot.endedBecause !== null || handsOverLater(snapshot);
  return others.toSpliced(isLast ? claims + 1 : claims, 0, 'hand_over');
}

/** Whether assets are left that go to a wallet once the claims are over. */
function handsOverLater({ claimsOpenedAt, endedBecause, namesLastAssetRecipient, hasAssets }: StepsSnapshot): boolean {
  return claimsOpenedAt !== null && endedBecause === null && namesLastAssetRecipient && hasAssets;
}

function reachedStep(snapshot: StepsSnapshot): TerminationStep {
  const { isSettled, claimsOpenedAt, endedBecause } = snapshot;
  if (!isSettled) return 'end_proposals';
  if (endedBecause !== null) return stepAfterClaims(snapshot);
  return claimsOpenedAt === null ? stepBeforeClaims(snapshot) : 'claims';
}

function stepBeforeClaims(snapshot: StepsSnapshot): TerminationStep {
  const { hasLiveProposals, awaitsExecution, isRotating, transactions } = snapshot;
  const newest = transactions.findLast(isLive)?.kind;
  if (newest === 'hand_over') return newest;
  const awaitsProposals = hasLiveProposals || awaitsExecution || isRotating;
  return awaitsProposals && newest === undefined ? 'end_proposals' : 'gather_pot';
}

function stepAfterClaims(snapshot: StepsSnapshot): TerminationStep {
  const { transactions, hasAssetsToHand, namesLovelaceRecipient, isPotEmpty } = snapshot;
  const live = (name: TerminationStep) => transactions.findLast((one) => one.kind === name && isLive(one));
  const [handOver, remainder] = [live('hand_over'), live('pay_remainder')];
  if (live('close_vault')) return 'close_vault';
  if ((handOver && isOpen(handOver.state)) || (hasAssetsToHand && !remainder)) return 'hand_over';
  if (remainder) return isOpen(remainder.state) ? 'pay_remainder' : 'close_vault';
  return namesLovelaceRecipient && !isPotEmpty ? 'pay_remainder' : 'close_vault';
}

function isLive({ state }: StepTransaction): boolean {
  return state !== 'expired' && state !== 'failed';
}

function statusAt(position: number, reached: number, newest: StepTransaction | undefined): StepStatus {
  if (position !== reached) return position < reached ? 'done' : 'pending';
  return newest?.state === 'awaiting_signatures' ? 'waiting_for_cosigners' : 'running';
}

function reasonToSkip(name: TerminationStep, snapshot: StepsSnapshot, isPassedBy: boolean): StepReason | null {
  const recipients = { hand_over: snapshot.namesAssetRecipient, pay_remainder: snapshot.namesLovelaceRecipient };
  if (name !== 'hand_over' && name !== 'pay_remainder') return null;
  if (!recipients[name]) return 'no_recipient';
  return isPassedBy ? 'nothing_left' : null;
}

function reasonOf(
  name: TerminationStep,
  status: StepStatus,
  snapshot: StepsSnapshot,
  newest: StepTransaction | undefined,
): StepReason | null {
  if (status === 'done')
    return name === 'gather_pot' && snapshot.isLiquidityElsewhere ? 'liquidity_share_elsewhere' : null;
  if (status === 'pending') return name === 'hand_over' && handsOverLater(snapshot) ? 'after_claims' : null;
  return reasonToWait(name, snapshot, newest?.state);
}

function doneAt(name: TerminationStep, snapshot: StepsSnapshot): Instant | null {
  const { gatheringBegunAt, claimsOpenedAt, claimsEndedAt, terminatedAt } = snapshot;
  switch (name) {
    case 'end_proposals':
      return gatheringBegunAt;
    case 'gather_pot':
      return claimsOpenedAt;
    case 'claims':
      return claimsEndedAt;
    case 'hand_over':
    case 'pay_remainder':
    case 'close_vault':
      return terminatedAt;
  }
}

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
type StepReason = (typeof stepReasons)[number];

interface StepWaits {
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
function reasonToWait(
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
function transactionWait(holds: readonly HoldReason[], newest: TransactionState | undefined): StepReason | null {
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

/** The steps in which a settled vault ends, in their order (design D31). */
export const terminationSteps = [
  'end_proposals',
  'gather_pot',
  'hand_over',
  'claims',
  'pay_remainder',
  'close_vault',
] as const;
export type TerminationStep = (typeof terminationSteps)[number];

/** Why the claims of a vault are over: everything of value has been paid out, or time has (design D31). */
export const terminationEnds = ['nothing_left', 'claim_deadline'] as const;
export type TerminationEnd = (typeof terminationEnds)[number];

/** When a settled vault ends by its creator's will (design D30); null for one that only its holders or the market end. */
export function programmedEnd(
  { termination }: Pick<VaultTerms, 'termination'>,
  lockedAt: Instant | null,
): Instant | null {
  return termination.type === 'PROGRAMMED' && lockedAt !== null ? secondsAfter(lockedAt, termination.duration) : null;
}

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
