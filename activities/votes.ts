import { anchorTally } from '../src/votes/cast-votes.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import type { TallyActivities } from '../src/platform/temporal/activity-types.ts';

/** What is done with the votes of a proposal after they are counted. */
export function createVoteActivities(context: Pick<WorkerContext, 'db' | 'ids' | 'anchors'>): TallyActivities {
  return { anchorTally: ({ proposalId }) => anchorTally(context, proposalId) };
}
