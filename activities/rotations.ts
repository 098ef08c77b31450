import { advanceRotation } from '../src/rotation/advance-rotation.ts';
import { prepareMove, type RotationContext } from '../src/rotation/prepare-move.ts';
import type { RotationActivities } from '../src/platform/temporal/rotation-activities.ts';

/** A change of the key or the cosigners of a vault. */
export function createRotationActivities(context: RotationContext): RotationActivities {
  return {
    advanceRotation: (input) => advanceRotation(context, input),
    prepareMove: (input) => prepareMove(context, input),
  };
}
