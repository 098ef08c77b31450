import type { ProposalStage } from '../platform/temporal/activity-types.ts';
import type { WorkerContext } from '../worker-context.ts';
import { endAsFailed, type ProposalMoment, type ProposalStep, takeStep } from './proposal-step.ts';

/** Fails a draft that was not endorsed in time. */
export function expireDraft(
  context: Pick<WorkerContext, 'unitOfWork' | 'onTransition'>,
  moment: ProposalMoment,
): Promise<ProposalStage> {
  return takeStep(context, draftExpiry, moment);
}

const draftExpiry: ProposalStep = {
  transition: 'draft_expiry',
  dueAt: ({ draftExpiresAt }) => draftExpiresAt,
  isReady: ({ status }) => status === 'DRAFT',
  take: (context, proposal) => endAsFailed(context, proposal, 'draft_expired'),
};
