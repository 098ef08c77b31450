import { closeVoting } from '../src/services/proposals/close-voting.ts';
import { endExecution } from '../src/services/proposals/end-execution.ts';
import { expireDraft } from '../src/services/proposals/expire-draft.ts';
import { readStage } from '../src/services/proposals/proposal-stage.ts';
import { releaseStakes } from '../src/services/proposals/release-stakes.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { ProposalActivities } from '../src/temporal/activity-types.ts';

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
