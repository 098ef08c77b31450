import { closeVoting } from '../src/proposals/close-voting.ts';
import { endExecution } from '../src/proposals/end-execution.ts';
import { expireDraft } from '../src/proposals/expire-draft.ts';
import { readStage } from '../src/proposals/proposal-stage.ts';
import { releaseStakes } from '../src/proposals/release-stakes.ts';
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
