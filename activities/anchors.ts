import { sendAnchors } from '../src/services/anchors/send-anchors.ts';
import type { SubmissionContext } from '../src/services/transactions/submission.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { AnchorActivities } from '../src/temporal/activity-types.ts';

type Context = SubmissionContext & Pick<WorkerContext, 'readingTime' | 'outboxRelay'>;

/** Sending the anchors of a lane to the ledger, in order. */
export function createAnchorActivities(context: Context): AnchorActivities {
  return {
    async sendAnchors({ laneId }) {
      const submission = await sendAnchors(context, laneId);
      if (submission !== 'done') throw new Error(submission.unclear);
      context.outboxRelay.deliver();
    },
  };
}
