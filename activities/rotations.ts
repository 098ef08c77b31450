import { advanceRotation, prepareMove, type RotationContext } from '../src/rotation/move-custody.ts';
import type { RotationActivities } from '../src/platform/temporal/activity-types.ts';

/** A change of the key or the cosigners of a vault. */
export function createRotationActivities(context: RotationContext): RotationActivities {
  return {
    advanceRotation: (input) => advanceRotation(context, input),
    prepareMove: (input) => prepareMove(context, input),
  };
}
