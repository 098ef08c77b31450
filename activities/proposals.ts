import { closeVoting, endExecution, expireDraft, readStage, releaseStakes } from '../src/proposals/phases.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import type { ProposalActivities } from '../src/platform/temporal/activity-types.ts';

/** The steps of a proposal's life that its workflow takes. */
export function createProposalActivities(
  context: Pick<WorkerContext, 'db' | 'unitOfWork' | 'onTransition'>,
): ProposalActivities {
  return {
    readStage: ({ proposalId }) => readStage(context.db, proposalId),
    expireDraft: (input) => expireDraft(context, input),
    closeVoting: (input) => closeVoting(context, input),
    endExecution: (input) => endExecution(context, input),
    releaseStakes: (input) => releaseStakes(context, input),
  };
}
