import type { FieldProblem } from '../errors.ts';
import { type DurationBounds, printDuration } from '../units/duration.ts';
import { phaseNames, type PhaseDurations } from './phases.ts';

/** Phase durations out of bounds, each as a problem of the field `<prefix><phase>_duration` (design D2). */
export function durationProblems(
  durations: Partial<PhaseDurations>,
  bounds: DurationBounds,
  prefix: string,
): readonly FieldProblem[] {
  return phaseNames.flatMap((phase): FieldProblem[] => {
    const seconds = durations[phase];
    const { min, max } = bounds[phase];
    if (seconds === undefined || (seconds >= min && seconds <= max)) return [];
    const message = `The duration must be from ${printDuration(min)} to ${printDuration(max)} (DD:HH:MM)`;
    return [{ code: 'INVALID_REQUEST', message, field: `${prefix}${phase}_duration` }];
  });
}
