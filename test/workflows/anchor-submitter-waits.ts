import { anchorSubmitterWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { CLOCK_OFFSET_MS, succeedsWhen, type Wait } from './waits.ts';

const anchorChainId = '00000000-0000-4000-8000-000000000004';
const anchorSubmitter = {
  type: 'anchorSubmitter',
  workflowId: anchorSubmitterWorkflowId(anchorChainId),
  input: { anchorChainId, clockOffsetMs: CLOCK_OFFSET_MS },
  waiting: 'Signing and sending the anchors of its chain in order',
  goneOn: { activity: 'sendAnchors' },
} as const;

export const anchorSubmitterWaits = {
  'an anchor submitter that waits for facts': {
    ...anchorSubmitter,
    signal: 'sealed',
    activities: () => ({ sendAnchors: () => Promise.resolve(null) }),
  },
  'an anchor submitter that cannot send': {
    ...anchorSubmitter,
    signal: 'transactionChanged',
    activities: (isOver) => ({ sendAnchors: succeedsWhen(isOver) }),
    isTrying: true,
  },
} as const satisfies Readonly<Record<string, Wait>>;
