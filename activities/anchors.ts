import { sendAnchors } from '../src/services/anchors/send-anchors.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';
import type { AnchorActivities } from '../src/temporal/activity-types.ts';

type Context = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'readingTime'
  | 'ledger'
  | 'networkState'
  | 'keys'
  | 'outboxRelay'
  | 'networkId'
  | 'confirmationDepth'
>;

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
