import type { RotationActivities } from '../../src/platform/temporal/activity-types.ts';
import { rotationWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { CLOCK_OFFSET_MS, succeedsWhen, tomorrow, type Wait } from './waits.ts';

const rotationId = '00000000-0000-4000-8000-000000000005';
const vaultId = '00000000-0000-4000-8000-000000000006';

/** A rotation in one stage until the wait is over, then in another. */
const stages =
  (...[before, after]: Awaited<ReturnType<RotationActivities['advanceRotation']>>[]) =>
  (isOver: () => boolean) => ({
    advanceRotation: () => Promise.resolve(isOver() ? after : before),
  });

const finished = { step: 'finished', prepares: false, until: null } as const;
const rotation = {
  type: 'rotation',
  workflowId: rotationWorkflowId(rotationId),
  input: { rotationId, vaultId, clockOffsetMs: CLOCK_OFFSET_MS },
  signal: 'transactionChanged',
} as const;

export const rotationWaits = {
  'a rotation that is announced': {
    ...rotation,
    activities: stages({ step: 'notice', prepares: false, until: tomorrow }, finished),
    waiting: 'Announced. Waiting for the end of the notice.',
    goneOn: { details: 'Everything is in the new custody.' },
  },
  'a rotation whose move cannot be sent': {
    ...rotation,
    activities: (isOver) => ({
      ...stages({ step: 'move_outputs', prepares: true, until: null }, finished)(isOver),
      prepareMove: () => Promise.resolve({ transactionId: '00000000-0000-4000-8000-000000000007' }),
      submitTransaction: succeedsWhen(isOver),
      readTransaction: () =>
        Promise.resolve({ state: 'final', expiresAt: tomorrow, kind: 'move_custody', isWithdrawn: false }),
    }),
    waiting: 'Moving all outputs of the vault to its new custody.',
    goneOn: { details: 'Everything is in the new custody.' },
    isTrying: true,
  },
} as const satisfies Readonly<Record<string, Wait>>;
