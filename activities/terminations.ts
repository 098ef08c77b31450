import { advanceTermination } from '../src/services/terminations/advance-termination.ts';
import { prepareGathering, type TerminationContext } from '../src/services/terminations/prepare-gathering.ts';
import type { TerminationActivities } from '../src/temporal/activity-types.ts';

/** The end of a settled vault (design D31). */
export function createTerminationActivities(context: TerminationContext): TerminationActivities {
  return {
    advanceTermination: (input) => advanceTermination(context, input),
    prepareTermination: (input) =>
      input.step === 'gather_pot' ? prepareGathering(context, input) : Promise.resolve(null),
  };
}
