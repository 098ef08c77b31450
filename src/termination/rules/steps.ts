import { isOpen, type TransactionState, visibleState } from '../../transactions/rules/transaction-state.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { reasonToWait, type StepReason, type StepWaits } from './step-reason.ts';
import type { TerminationEnd } from './termination-end.ts';
import { type TerminationStep, terminationSteps } from './termination-step.ts';

export const stepStatuses = ['pending', 'running', 'waiting_for_cosigners', 'done', 'skipped'] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** A step in which a vault ends, as readers see it. */
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

/** A transaction of a step. */
export interface StepTransaction {
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

/** The steps in which a vault ends, from what has happened. */
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

/** The step that is being taken. */
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
