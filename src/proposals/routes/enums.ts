import { proposalActions } from '../rules/action-refusals.ts';
import { phaseNames, phaseStatuses } from '../rules/phases.ts';
import { failureReasons, proposalStatuses, proposalTypes } from '../rules/proposal.ts';
import { enumSchema } from '../../platform/http/enums.ts';

export const ProposalTypeEnum = enumSchema('ProposalType', proposalTypes, {
  ASSET_SALE: 'action sell_asset: sells assets of the vault to a buyer for ADA',
  BUY: 'action buy_asset: buys an asset from a seller with ADA of the vault',
  STAKE: "action stake_asset: moves assets to one of the vault's staking addresses, or back from it",
  LIQUIDATE: 'action liquidate: ends the vault',
});

export const ProposalStatusEnum = enumSchema('ProposalStatus', proposalStatuses, {
  DRAFT: 'the proposal collects endorsements',
  ACTIVE: 'the vote is open',
  PASSED: 'approved; in its lock or execution phase',
  FAILED: 'the proposal ended without effect; `failureReason` says why',
  EXECUTED: 'its transaction is in a block',
});

export const FailureReasonEnum = enumSchema('ProposalFailure', failureReasons, {
  quorum_not_reached:
    'less than `thresholds.vote.required` of the voting power, or less than `thresholds.turnout.required` of the tokens in ' +
    'circulation, has voted, or nobody has voted',
  rejected:
    'less than `thresholds.execution.required` of the cast voting power has approved, or less has approved than rejected',
  tied: 'equal voting power has approved and rejected',
  draft_expired: 'the endorsements had not reached `thresholds.start.required` by `draftExpiresAt`',
  cancelled: "cancelled by the proposer, the vault's admin or a key with permission wallet:UPDATE",
  execution_window_elapsed: 'its transaction was in no block at the end of the execution phase',
  execution_failed: 'its executions failed four times; `result.cause` is the last message',
  asset_in_another_proposal: 'another proposal about one of its assets had passed when its vote ended',
  vault_ending: 'the end of the vault was decided',
});

export const ProposalPhaseEnum = enumSchema('ProposalPhase', ['draft', ...phaseNames, 'ended'], {
  draft: 'wallets can endorse it; it can be cancelled',
  voting: 'wallets can vote, and revoke their votes',
  lock: 'it can be cancelled; nothing else is possible',
  execution: 'its transaction can be frozen, signed and executed',
  ended: 'the proposal has ended',
});

export const PhaseStatusEnum = enumSchema('PhaseStatus', phaseStatuses, {
  PENDING: 'not begun yet',
  ACTIVE: 'open',
  COMPLETED: 'ended, and the proposal continued',
  FAILED: 'the proposal failed in this phase or before it',
});

export const ProposalActionEnum = enumSchema('ProposalAction', proposalActions, {
  endorse: '`POST /api/v1/proposals/{proposalId}/endorsements`',
  vote: '`POST /api/v1/proposals/{proposalId}/votes`, also to replace a vote',
  revokeVote: '`DELETE /api/v1/votes/{voteId}`',
  cancel: '`DELETE /api/v1/proposals/{proposalId}`',
  freeze: '`POST /api/v1/proposals/{proposalId}/executions`, for a new transaction',
  execute: '`POST /api/v1/proposals/{proposalId}/execute`',
});
