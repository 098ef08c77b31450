import type { FieldProblem } from '../../platform/errors/errors.ts';
import { type DurationBounds, printDuration } from '../../platform/units/duration.ts';
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

/** The phases that protect those who have not voted yet. A short execution phase harms nobody but those who want to execute. */
const protectingPhases = ['voting', 'lock'] as const;

/** Phases that are shorter than the vault's own, each as a problem of the field `<prefix><phase>_duration` (design D22). */
export function shorterPhaseProblems(
  vault: { readonly [Phase in (typeof protectingPhases)[number]]: number | undefined },
  requested: Partial<PhaseDurations>,
  prefix: string,
): readonly FieldProblem[] {
  return protectingPhases.flatMap((phase): FieldProblem[] => {
    const [own, seconds] = [vault[phase], requested[phase]];
    if (own === undefined || seconds === undefined || seconds >= own) return [];
    const message = `The vault requires at least ${printDuration(own)} (DD:HH:MM)`;
    return [{ code: 'THRESHOLD_BELOW_VAULT', message, field: `${prefix}${phase}_duration` }];
  });
}
