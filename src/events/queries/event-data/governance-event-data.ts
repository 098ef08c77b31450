import type { ProposalStatus, ProposalType } from '../../../proposals/rules/proposal.ts';
import type { VoteDecision } from '../../../votes/rules/vote.ts';

interface StakeData {
  readonly stakeId: string;
  readonly amountBaseUnits: string;
}

interface ClaimData {
  readonly claimId: string;
  readonly amountBaseUnits: string;
  readonly payoutLovelace: string;
}

interface VotesData {
  readonly proposalId: string;
  readonly votes: number;
}

interface ExecutionData {
  readonly proposalId: string;
  readonly executionId: string;
}

interface ExecutionOnLedger extends ExecutionData {
  readonly type: ProposalType;
  readonly assetIds: readonly string[];
  readonly cause?: string;
}

interface CosignedExecution extends ExecutionData {
  readonly type: ProposalType;
  readonly cosigners: readonly string[];
}

/** What events of stakes, claims, proposals, votes and executions say; amounts are texts. */
export interface GovernanceEventData {
  STAKE_STARTED: StakeData;
  STAKE_CONFIRMED: StakeData;
  STAKE_FINAL: StakeData;
  STAKE_ROLLED_BACK: StakeData;
  STAKE_EXPIRED: StakeData;
  STAKE_RETURN_STARTED: StakeData;
  STAKE_RELEASED: StakeData;
  STAKE_RECLAIMED: StakeData;
  STAKE_RETURN_ROLLED_BACK: StakeData;
  STAKE_RETURN_EXPIRED: StakeData;
  STAKE_UNLOCKED: StakeData;
  CLAIM_STARTED: ClaimData;
  CLAIM_CONFIRMED: ClaimData;
  CLAIM_ROLLED_BACK: ClaimData;
  CLAIM_EXPIRED: ClaimData;
  PROPOSAL_CREATED: {
    readonly proposalId: string;
    readonly type: ProposalType;
    readonly title: string;
    readonly status: ProposalStatus;
  };
  PROPOSAL_ENDORSED: { readonly proposalId: string; readonly powerBaseUnits: string };
  PROPOSAL_STATUS_CHANGED: {
    readonly proposalId: string;
    readonly status: ProposalStatus;
    readonly reason: string | null;
  };
  VOTE_CAST: {
    readonly voteId: string;
    readonly proposalId: string;
    readonly decision: VoteDecision;
    readonly amountBaseUnits: string;
    /** The vote of the same wallet that it replaces. */
    readonly replaces: string | null;
  };
  VOTE_REVOKED: { readonly voteId: string; readonly proposalId: string };
  VOTES_CONFIRMED: VotesData;
  VOTES_ROLLED_BACK: VotesData;
  EXECUTION_FROZEN: CosignedExecution;
  EXECUTION_VOIDED: ExecutionData & { readonly cause: string };
  EXECUTION_SENT: CosignedExecution;
  EXECUTION_CONFIRMED: ExecutionOnLedger;
  EXECUTION_ROLLED_BACK: ExecutionOnLedger;
  EXECUTION_FAILED: ExecutionOnLedger;
  EXECUTION_LANDED_LATE: ExecutionOnLedger;
}
