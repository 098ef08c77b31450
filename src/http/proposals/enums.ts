import { executionStatuses } from '../../domain/execution/execution.ts';
import { proposalActions } from '../../domain/proposal/action-refusals.ts';

import { phaseNames, phaseStatuses } from '../../domain/proposal/phases.ts';
import { failureReasons, proposalStatuses, proposalTypes } from '../../domain/proposal/proposal.ts';
import { stakeStatuses } from '../../domain/stake/stake.ts';
import { voteDecisions, voteStatuses } from '../../domain/vote/vote.ts';
import { stakeReleaseReasons } from '../../domain/stake/release-reason.ts';
import { enumSchema } from '../server/enums.ts';

// Words of governance in answers, each published once with what it means.

export const StakeStatusEnum = enumSchema('StakeStatus', stakeStatuses, {
  ACTIVE: 'in no unfinished proposal; has power once it is final, and can be taken back',
  LOCKED: 'used by a vote in an unfinished proposal, until `lockedUntil`',
  RELEASED: 'not staked any more; `releaseReason` says why',
});

export const StakeReleaseReasonEnum = enumSchema('StakeReleaseReason', stakeReleaseReasons, {
  unstaked: 'taken back, signed by owner and vault',
  expired: 'its transaction was not signed, or not in a block, in time: the tokens never left their owner',
  reclaimed: 'taken back by its owner alone, after `ownerAloneFrom`',
});

export const ProposalTypeEnum = enumSchema('ProposalType', proposalTypes, {
  ASSET_SALE: 'action sell_asset: assets of the vault to a buyer, for ADA',
  BUY: 'action buy_asset: an asset from a seller, for ADA of the vault',
  STAKE: "action stake_asset: assets to one of the vault's staking addresses, or back from it",
  LIQUIDATE: 'action liquidate: the vault is to end',
});

export const ProposalStatusEnum = enumSchema('ProposalStatus', proposalStatuses, {
  DRAFT: 'collects endorsements',
  ACTIVE: 'is voted on',
  PASSED: 'approved; in its lock or its execution phase',
  FAILED: 'ended without effect; `failureReason` says why',
  EXECUTED: 'its transaction is in a block',
});

export const FailureReasonEnum = enumSchema('ProposalFailure', failureReasons, {
  quorum_not_reached: 'less than `thresholds.vote.required` has voted, or nobody',
  rejected: 'less than `thresholds.execution.required` has approved, or less than has rejected',
  tied: 'as much has approved as rejected',
  draft_expired: 'too little had endorsed it by `draftExpiresAt`',
  cancelled: "by its proposer or the vault's admin",
  execution_window_elapsed: 'not in a block by the end of its execution phase',
  execution_failed: 'the ledger refused its transaction for good; `result.cause` has its words',
  asset_in_another_proposal: 'another proposal over one of its assets had passed when its vote ended',
});

export const ProposalPhaseEnum = enumSchema('ProposalPhase', ['draft', ...phaseNames, 'ended'], {
  draft: 'endorse or cancel',
  voting: 'vote',
  lock: 'nothing moves; it can be cancelled',
  execution: 'have it signed and execute it',
  ended: 'nothing follows',
});

export const PhaseStatusEnum = enumSchema('PhaseStatus', phaseStatuses, {
  PENDING: 'not begun',
  ACTIVE: 'under way',
  COMPLETED: 'over, and the proposal went on',
  FAILED: 'the proposal failed in it, or before it',
});

export const ProposalActionEnum = enumSchema('ProposalAction', proposalActions, {
  endorse: '`POST /api/v1/proposals/{proposalId}/endorsements`',
  vote: '`POST /api/v1/proposals/{proposalId}/votes`, for the first time or anew',
  revokeVote: '`DELETE /api/v1/votes/{voteId}`',
  cancel: '`DELETE /api/v1/proposals/{proposalId}`',
  execute: '`POST /api/v1/proposals/{proposalId}/executions`, then `…/execute`',
});

export const VoteDecisionEnum = enumSchema('VoteDecision', voteDecisions, {
  APPROVE: 'sent as yes or approve',
  REJECT: 'sent as no or reject',
});

export const VoteStatusEnum = enumSchema('VoteStatus', voteStatuses, {
  CAST: 'counts; its anchor is in no block yet',
  CONFIRMED: 'counts; its anchor is in a block',
  REVOKED: 'counts no longer: taken back, or replaced by another vote of its wallet',
});

export const ExecutionStatusEnum = enumSchema('ExecutionStatus', executionStatuses, {
  FROZEN: 'collects signatures',
  SENT: 'on its way to the ledger',
  EXECUTED: 'in a block',
  VOIDED: 'gave way before it was sent; `reason` says to what',
  FAILED: 'can never land; `reason` says why',
});
