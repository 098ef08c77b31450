import type { AnchorWait, AnchorWaitCause } from '../../anchoring/rules/pace.ts';
import type { Instant } from '../units/time.ts';
import type { FailureReason } from '../../proposals/rules/proposal.ts';
import type { RotationStatus, RotationStep } from '../../rotation/rules.ts';
import type { TerminationStep } from '../../termination/rules/steps.ts';
import type { TransactionKind, TransactionState } from '../../transactions/rules.ts';
import type { TerminationReason, VaultStatus } from '../../vaults/rules/vault.ts';

/** One change of one window: it opens, or it closes. */
export interface WindowTransition {
  window: 'asset' | 'investment';
  change: 'open' | 'close';
  at: Instant;
}

export interface VaultSchedule {
  /** Every change of both windows, in the order they are due. */
  transitions: WindowTransition[];
  /** T: what is not settled by then is returned (design D20). */
  settlesBy: Instant;
  status: VaultStatus;
}

/** The status of a vault, and why it fails; `reason` is null while it does not. */
export interface VaultFailureStatus {
  status: VaultStatus;
  reason: TerminationReason | null;
}

interface AtVault {
  vaultId: string;
  now: Instant;
}

/** Why a vault ends instead of settling. */
export interface Failure {
  reason: TerminationReason;
}

/** The steps of a vault's life. Each may be run twice and reads its state from Postgres. */
export interface VaultActivities {
  readSchedule(input: { vaultId: string }): Promise<VaultSchedule>;
  /** Decides that every deposit goes back to its owner; 'minted' when the deadline has come too late for that. */
  failVault(input: AtVault & Failure): Promise<'minted' | undefined>;
  /** Locks a vault that is settled; `undone` when a rollback has removed a part of its settlement that cannot be confirmed again. */
  lockVault(input: AtVault): Promise<{
    status: VaultStatus;
    undone: boolean;
    /** Its end has begun. */
    isTerminating: boolean;
    /** When its programmed end comes; null when it has none. */
    endsAt: Instant | null;
  }>;
  /** Terminates a vault whose deposits are back; 'refunding' while a rollback has removed a refund from the ledger. */
  terminateVault(input: AtVault & Failure): Promise<'refunding' | 'terminated'>;
}

/** The steps of a vault until it is settled. Those that fail do not keep it beyond T. */
export interface VaultPlanningActivities {
  readFailure(input: { vaultId: string }): Promise<VaultFailureStatus>;
  /** True once no deposit or removal can be confirmed any more and every confirmed one is final; null while one can. */
  depositsAreFinal(input: { vaultId: string }): Promise<true | null>;
  /** Opens or closes a window; returns the reason when the vault has failed. */
  openOrCloseWindow(
    input: AtVault & { window: WindowTransition['window']; change: WindowTransition['change'] },
  ): Promise<Failure | null>;
  /** Fixes the price that each locked asset is valued at; null while a price is too old, which shows as a hold. */
  priceAssets(input: AtVault): Promise<true | null>;
  /** Computes and stores the plan of the settlement; returns the reason when the vault fails instead. */
  planSettlement(input: AtVault): Promise<Failure | null>;
  /** Shows that a step of the vault fails again and again, until one of its transactions is confirmed. */
  holdForFailures(input: AtVault): Promise<void>;
}

/** A transaction that the platform makes for a vault, recorded and ready to be submitted. */
export interface Prepared {
  transactionId: string;
}

/** A batch to send, the oldest of those that are waited for before another may be sent, or that there is none. */
export type NextBatch = ({ kind: 'send' | 'wait' } & Prepared) | { kind: 'done' };

/** Transactions that the platform builds for a vault. Called again, each returns the one already under way. */
export interface PreparationActivities {
  prepareCreation(input: AtVault): Promise<Prepared | null>;
  /** Null when T is too near for a mint to be confirmed. */
  prepareMint(input: AtVault): Promise<Prepared | null>;
  /** The next batch of deposits to be taken and paid for; done when all have been, or the mint is not live. */
  nextDelivery(input: AtVault): Promise<NextBatch>;
  /** Null while a delivery is missing. */
  prepareLiquidity(input: AtVault): Promise<Prepared | null>;
  /** The next batch of deposits to return; done when all are returned. */
  nextRefund(input: AtVault): Promise<NextBatch>;
}

/** Where the end of a vault stands. */
export interface TerminationStage {
  step: TerminationStep | 'settlement' | 'ended';
  /** Why the vault ends. */
  reason: TerminationReason;
  /** Whether a transaction of the step has to be prepared; otherwise the step waits. */
  prepares: boolean;
  /** When the wait ends at the latest; null for no limit. */
  until: Instant | null;
  /** What it waits for besides what its step says. */
  waitsFor?: 'rotation';
}

/** The end of a settled vault (design D31). Each reads from Postgres and the ledger what is done, so it may be repeated. */
export interface TerminationActivities {
  /** Takes the steps that need no transaction, and returns the step that the vault is in. */
  advanceTermination(input: AtVault): Promise<TerminationStage>;
  /** The next transaction of a step; null when it needs none any more. */
  prepareTermination(input: AtVault & { step: TerminationStep }): Promise<Prepared | null>;
}

/** A transaction after it was sent. */
export interface Submitted {
  state: TransactionState;
  error: string | null;
}

export interface TransactionActivities {
  readTransaction(input: { transactionId: string }): Promise<{
    state: TransactionState;
    expiresAt: Instant;
    kind: TransactionKind;
    /** It takes no more signatures. */
    isWithdrawn: boolean;
    error: string | null;
    /** It has expired, and so had the one of its kind before it. */
    followsExpired: boolean;
  }>;
  /** Submits the recorded bytes. Safe to repeat: the bytes, and so the hash, never change. */
  submitTransaction(input: { transactionId: string; now: Instant }): Promise<Submitted>;
}

export interface AnchorActivities {
  /**
   * Rebuilds, in order, the anchors of an anchor chain that can no longer be confirmed, and submits those that were not submitted. Returns what they wait for
   * as soon as that is something else than is shown, and signals the anchor chain to continue; null when all are sent.
   */
  sendAnchors(input: { anchorChainId: string; shown: AnchorWaitCause | null }): Promise<AnchorWait | null>;
}

/** What the workflow of the follower shows. */
export interface LedgerFollowing {
  /** Why the ledger is not followed at present; null while it is. */
  held: string | null;
}

export interface LedgerActivities {
  /**
   * Follows the ledger for at most an hour, or until it is held or no longer held, then returns so that the workflow can continue
   * as new.
   */
  followLedger(shown: LedgerFollowing): Promise<LedgerFollowing>;
}

export interface UpkeepActivities {
  /** Sends lost messages, wakes held vaults and does other upkeep; `sent` is the number of messages. */
  sweep(): Promise<{ sent: number }>;
  refreshValuations(input: { from: RefreshPosition }): Promise<RefreshedPart>;
}

/** A part of a refresh. */
export interface RefreshedPart {
  refreshed: number;
  failed: number;
  /** Where the next part begins; null after the last. */
  next: RefreshPosition | null;
}

/** How far a refresh is: the last asset class whose price, or the last vault whose valuation is done; null at the beginning. */
export type RefreshPosition =
  | { readonly step: 'prices'; readonly after: { readonly policyId: string; readonly assetName: string } | null }
  | { readonly step: 'valuations'; readonly after: string | null };

export interface LostWorkflowActivities {
  /** Starts again what has something left to do and does not run; `restarted` is the number of workflows. */
  restartLostWorkflows(): Promise<{ restarted: number }>;
}

/** The stage of a proposal's life. */
export type ProposalStage =
  | { stage: 'draft'; draftExpiresAt: Instant }
  | { stage: 'voting'; votingEndsAt: Instant }
  /** `isSent` says whether an execution can still be confirmed. */
  | { stage: 'passed'; lockEndsAt: Instant; executionEndsAt: Instant; isSent: boolean }
  /** Its execution is on the ledger, but not final. */
  | { stage: 'executed' }
  | { stage: 'ended'; outcome: FailureReason | 'executed' };

interface AtProposal {
  proposalId: string;
  now: Instant;
}

/** The steps of a proposal's life. Each may be run twice, reads its state from Postgres and returns the stage afterwards. */
export interface ProposalActivities {
  readStage(input: { proposalId: string }): Promise<ProposalStage>;
  expireDraft(input: AtProposal): Promise<ProposalStage>;
  /** Counts the votes once no other can come in, and passes or fails the proposal. */
  closeVoting(input: AtProposal): Promise<ProposalStage>;
  /** Fails a proposal that was not executed in time; one whose execution was sent stays until that is confirmed or no longer can. */
  endExecution(input: AtProposal): Promise<ProposalStage>;
  /** Releases the stakes that voted in an ended proposal. */
  releaseStakes(input: AtProposal): Promise<void>;
}

/** What is anchored of proposals besides the actions of callers. */
export interface TallyActivities {
  /** Anchors the tally of a closed vote with the root of its votes; nothing for a proposal that was never voted on. */
  anchorTally(input: { proposalId: string }): Promise<void>;
}

/** Comparing the books of all vaults with the ledger. */
export interface ReconciliationActivities {
  startReconciliation(): Promise<{ reconciliationId: string }>;
  /** Compares the next vaults; `isDone` when none is left. */
  reconcileNextVaults(input: { reconciliationId: string }): Promise<{ isDone: boolean }>;
}

export interface UnsolicitedActivities {
  /**
   * Scans the addresses of the next vaults; returns the cursor of the next page, null when there is none. Continues after vaults
   * that fail, and names them in the error it throws at the end.
   */
  scanForUnsolicited(input: { after: string | null }): Promise<string | null>;
}

/** Where a rotation stands. */
export interface RotationStage {
  step: RotationStep | Extract<RotationStatus, 'finished' | 'cancelled'>;
  /** Whether a transaction has to be prepared; otherwise the step waits. */
  prepares: boolean;
  /** When the wait ends at the latest; null for no limit. */
  until: Instant | null;
}

/** A change of the key or the cosigners of a vault. Each reads from Postgres and the ledger what is done, so it may be repeated. */
export interface RotationActivities {
  /** Takes the steps that need no transaction, and returns the step that the rotation is in. */
  advanceRotation(input: AtVault & { rotationId: string }): Promise<RotationStage>;
  /** The next transaction that moves outputs; null when there is none at present. */
  prepareMove(input: AtVault): Promise<Prepared | null>;
}
