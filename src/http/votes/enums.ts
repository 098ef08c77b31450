import { voteDecisions, voteStatuses } from '../../domain/vote/vote.ts';
import { enumSchema } from '../server/enums.ts';

export const VoteDecisionEnum = enumSchema('VoteDecision', voteDecisions, {
  APPROVE: 'sent as yes or approve',
  REJECT: 'sent as no or reject',
});

export const VoteStatusEnum = enumSchema('VoteStatus', voteStatuses, {
  CAST: 'counts; its anchor is in no block yet',
  CONFIRMED: 'counts; its anchor is in a block',
  REVOKED: 'counts no longer: taken back, or replaced by another vote of its wallet',
});
