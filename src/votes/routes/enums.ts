import { voteDecisions, voteStatuses } from '../rules/vote.ts';
import { enumSchema } from '../../platform/http/enums.ts';

export const VoteDecisionEnum = enumSchema('VoteDecision', voteDecisions, {
  APPROVE: 'requested as `yes` or `approve`',
  REJECT: 'requested as `no` or `reject`',
});

export const VoteStatusEnum = enumSchema('VoteStatus', voteStatuses, {
  CAST: 'counts; the transaction that anchors it is in no block yet',
  CONFIRMED: 'counts; the transaction that anchors it is in a block',
  REVOKED: 'no longer counts: revoked, or replaced by a later vote of the wallet',
});
