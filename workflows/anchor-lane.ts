import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { AnchorLaneInput } from '../src/temporal/messages.ts';
import { anchors } from './activities.ts';
import { trackProgress } from './progress.ts';

/** Carries the anchors of one lane to the ledger, in order (design §5). Its facts are in Postgres, so it keeps no time. */
export function anchorLane(input: AnchorLaneInput): Promise<never> {
  const { laneId } = input;
  const story = trackProgress(input, ['sealed', 'transactionChanged']);
  story.setPhase(
    'anchoring',
    'Signs and sends the anchors of its lane in order, and builds anew what can no longer land.',
  );
  return story.waitFor<never>(async () => {
    await anchors.sendAnchors({ laneId });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof anchorLane>(input);
    return null;
  });
}
