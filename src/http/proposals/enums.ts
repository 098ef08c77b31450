import { proposalActions } from '../../domain/proposal/action-refusals.ts';
import { phaseNames, phaseStatuses } from '../../domain/proposal/phases.ts';
import { failureReasons, proposalStatuses, proposalTypes } from '../../domain/proposal/proposal.ts';
import { enumSchema } from '../server/enums.ts';

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
