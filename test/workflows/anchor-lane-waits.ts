import { anchorLaneWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { CLOCK_OFFSET_MS, succeedsWhen, type Wait } from './waits.ts';

const laneId = '00000000-0000-4000-8000-000000000004';
const lane = {
  type: 'anchorLane',
  workflowId: anchorLaneWorkflowId(laneId),
  input: { laneId, clockOffsetMs: CLOCK_OFFSET_MS },
  waiting: 'Signs and sends the anchors of its lane in order',
  goneOn: { activity: 'sendAnchors' },
} as const;

export const anchorLaneWaits = {
  'an anchor lane that waits for facts': {
    ...lane,
    signal: 'sealed',
    activities: () => ({ sendAnchors: () => Promise.resolve(null) }),
  },
  'an anchor lane that cannot send': {
    ...lane,
    signal: 'transactionChanged',
    activities: (isOver) => ({ sendAnchors: succeedsWhen(isOver) }),
    isTrying: true,
  },
} as const satisfies Readonly<Record<string, Wait>>;
