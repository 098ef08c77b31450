import type { Instant } from '../domain/units/instant.ts';
import type { FailureReason } from '../domain/proposal/proposal.ts';
import type { TransactionKind, TransactionState } from '../domain/transaction/transaction-state.ts';
import type { TerminationReason, VaultStatus } from '../domain/vault/vault.ts';

/** One turn of one window: it opens, or it closes. */
export interface WindowTransition {
  window: 'asset' | 'investment';
  turn: 'open' | 'close';
  at: Instant;
}

export interface VaultSchedule {
  /** Every turn of both windows, in the order they come due. */
  turns: WindowTransition[];
  /** T: what is not settled by then is returned (design D20). */
  settlesBy: Instant;
  status: VaultStatus;
}

/** Where a vault stands, and why it was asked or decided to end, if it was. */
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

/** The steps of a vault's life. Each may be run twice and reads its facts from Postgres. */
export interface VaultActivities {
  readSchedule(input: { vaultId: string }): Promise<VaultSchedule>;
  /** Opens or closes a window; answers a failure when the window's end decides one. */
  turnWindow(
    input: AtVault & { window: WindowTransition['window']; turn: WindowTransition['turn'] },
  ): Promise<Failure | null>;
  /** Workers before the status was told answered null for a vault that goes on. */
  readFailure(input: { vaultId: string }): Promise<VaultFailureStatus | null>;
  /** True once no deposit or removal can land any more and every landed one is final; null while one can. */
  depositsAreFinal(input: { vaultId: string }): Promise<true | null>;
  /** Gives every locked asset the price it counts with; null while a price is too old, which is shown as a hold. */
  priceAssets(input: AtVault): Promise<true | null>;
  /** Computes and stores the plan of the settlement, or finds why there is none. */
  planSettlement(input: AtVault): Promise<Failure | null>;
  /** Decides, while nothing is minted, that everything goes back to its owners. */
  failVault(input: AtVault & Failure): Promise<void>;
  /** Locks a vault that is settled; `undone` when a rollback has taken a part of its settlement from the ledger for good. */
  lockVault(input: AtVault): Promise<{ status: VaultStatus; undone: boolean }>;
  /** Ends a vault whose deposits are back; 'refunding' while a rollback has taken a refund off the ledger. */
  terminateVault(input: AtVault & Failure): Promise<'refunding' | 'terminated'>;
}

/** A transaction of the vault's own, recorded and ready to be sent. */
export interface Prepared {
  transactionId: string;
}

/** Transactions that the platform builds for a vault. Asked again, each answers the one already under way. */
export interface PreparationActivities {
  prepareCreation(input: AtVault): Promise<Prepared | null>;
  /** Null when T is too near for a mint to land. */
  prepareMint(input: AtVault): Promise<Prepared | null>;
  /** The next batch of deposits to be taken and paid for; null when everyone has been, or the mint is gone. */
  prepareDelivery(input: AtVault): Promise<Prepared | null>;
  /** Null while a delivery is missing. */
  prepareLiquidity(input: AtVault): Promise<Prepared | null>;
  /** The next batch of deposits to go back; null when all are back. */
  prepareRefund(input: AtVault): Promise<Prepared | null>;
}

export interface TransactionActivities {
  /** Workflows that began before they were told have no `kind` and no `isWithdrawn`: no signature is taken any more. */
  readTransaction(input: {
    transactionId: string;
  }): Promise<{ state: TransactionState; expiresAt: Instant; kind?: TransactionKind; isWithdrawn?: boolean }>;
  /** Sends the recorded bytes. Safe to repeat: the bytes, and so the hash, never change. */
  submitTransaction(input: { transactionId: string; now: Instant }): Promise<void>;
}

export interface AnchorActivities {
  /** Builds anew, in order, what can no longer land in a lane, and sends what was not sent. */
  sendAnchors(input: { laneId: string }): Promise<void>;
}

export interface LedgerActivities {
  /** Follows the ledger for at most an hour, then returns so that the workflow can go on as new. */
  followLedger(): Promise<void>;
}

export interface UpkeepActivities {
  /** Sends starts and signals that were lost and looks after what is held; answers how many were sent. */
  sweep(): Promise<{ sent: number }>;
  refreshValuations(): Promise<{ refreshed: number }>;
}

/** Where the story of a proposal stands. */
export type ProposalStage =
  | { stage: 'draft'; draftExpiresAt: Instant }
  | { stage: 'voting'; votingEndsAt: Instant }
  | { stage: 'passed'; lockEndsAt: Instant; executionEndsAt: Instant }
  /** Its execution is on the ledger, but not deep enough to be sure. */
  | { stage: 'executed' }
  | { stage: 'ended'; outcome: FailureReason | 'executed' };

interface AtProposal {
  proposalId: string;
  now: Instant;
}

/** The steps of a proposal's life. Each may be run twice, reads its facts from Postgres and answers where it stands after. */
export interface ProposalActivities {
  readStage(input: { proposalId: string }): Promise<ProposalStage>;
  expireDraft(input: AtProposal): Promise<ProposalStage>;
  /** Counts the votes once no other can come in, and decides. */
  closeVoting(input: AtProposal): Promise<ProposalStage>;
  /** Fails what was not executed in time; one whose execution was sent stays until that lands or no longer can. */
  endExecution(input: AtProposal): Promise<ProposalStage>;
  /** Lets go of the stakes that voted in an ended proposal. */
  releaseStakes(input: AtProposal): Promise<void>;
}

/** What is anchored of proposals besides what callers do. */
export interface TallyActivities {
  /** Anchors the tally of a closed vote with the root of its votes; nothing for a proposal that was never voted on. */
  anchorTally(input: { proposalId: string }): Promise<void>;
}

export interface UnsolicitedActivities {
  /**
   * Looks at the addresses of the next vaults; answers where it stands, null when there are no more. Goes on past vaults that
   * fail, and throws at the end which those were.
   */
  lookForUnsolicited(input: { after: string | null }): Promise<string | null>;
}
