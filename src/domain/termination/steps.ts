import type { TransactionState } from '../transaction/transaction-state.ts';
import type { Instant } from '../units/instant.ts';
import type { TerminationEnd } from './termination-end.ts';
import { type TerminationStep, terminationSteps } from './termination-step.ts';

export const stepStatuses = ['pending', 'running', 'waiting_for_cosigners', 'done', 'skipped'] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** A step in which a vault ends, as readers see it. */
export interface StepView {
  readonly name: TerminationStep;
  readonly status: StepStatus;
  /** Of its newest transaction; null when it has none. */
  readonly transactionHash: string | null;
  /** Why it was skipped, or what it waits for; null when there is nothing to say. */
  readonly reason: string | null;
  /** When its newest transaction changed, or a step without one was done; null before. */
  readonly at: Instant | null;
}

/** A transaction of a step. */
interface StepTransaction {
  readonly kind: string;
  readonly hash: string;
  readonly state: TransactionState;
  readonly at: Instant;
}

/** The state of a vault that ends from which its steps follow. */
export interface StepsSnapshot {
  /** Whether a proposal is live, or an execution was sent that is not final, before the pot is gathered. */
  readonly awaitsProposals: boolean;
  /** Of all steps, oldest first. */
  readonly transactions: readonly StepTransaction[];
  readonly claimsOpenedAt: Instant | null;
  /** Null until the claims are over. */
  readonly endedBecause: TerminationEnd | null;
  /** Whether a wallet is named for assets, and for what nobody claims. */
  readonly namesAssetRecipient: boolean;
  readonly namesLovelaceRecipient: boolean;
  readonly terminatedAt: Instant | null;
}

/** The steps in which a vault ends, from what has happened. */
export function viewSteps(snapshot: StepsSnapshot): StepView[] {
  const reached = reachedStep(snapshot);
  return terminationSteps.map((name, position) => {
    const newest = snapshot.transactions.findLast(({ kind }) => kind === name);
    const skipped = reasonToSkip(name, snapshot);
    const status = skipped === null ? statusAt(position, reached, newest) : 'skipped';
    return {
      name,
      status,
      transactionHash: newest?.hash ?? null,
      reason: skipped,
      at: newest?.at ?? (status === 'done' ? doneAt(name, snapshot) : null),
    };
  });
}

/** The position of the step that runs; that after the last when the vault is terminated. */
function reachedStep({
  terminatedAt,
  claimsOpenedAt,
  endedBecause,
  awaitsProposals,
  transactions,
}: StepsSnapshot): number {
  if (terminatedAt !== null) return terminationSteps.length;
  const last = transactions.findLast(({ state }) => state !== 'expired' && state !== 'failed');
  const sent = terminationSteps.findIndex((name) => name === last?.kind);
  if (endedBecause !== null) return Math.max(sent, terminationSteps.indexOf('pay_remainder'));
  if (claimsOpenedAt !== null) return Math.max(sent, terminationSteps.indexOf('claims'));
  return awaitsProposals && sent < 0 ? 0 : Math.max(sent, 1);
}

function statusAt(position: number, reached: number, newest: StepTransaction | undefined): StepStatus {
  if (position > reached) return 'pending';
  if (newest?.state === 'awaiting_signatures') return 'waiting_for_cosigners';
  return position < reached ? 'done' : 'running';
}

function reasonToSkip(name: TerminationStep, snapshot: StepsSnapshot): string | null {
  if (name === 'hand_over' && !snapshot.namesAssetRecipient) return 'no wallet is named for assets';
  if (name === 'pay_remainder' && !snapshot.namesLovelaceRecipient) return 'no wallet is named for what nobody claims';
  return null;
}

function doneAt(name: TerminationStep, { claimsOpenedAt, terminatedAt }: StepsSnapshot): Instant | null {
  return name === 'gather_pot' ? claimsOpenedAt : name === 'claims' ? terminatedAt : null;
}
