import { z } from 'zod';
import type { PhaseName } from '../rules/phases.ts';
import { printDuration } from '../../platform/units/duration.ts';
import { isoText } from '../../platform/units/instant.ts';
import type { ProposalView } from '../view-proposals.ts';
import { DurationPrinted, Timestamp } from '../../platform/http/fields.ts';
import { PhaseStatusEnum } from './enums.ts';

/** A phase of a proposal. */
export const PhaseResource = z.object({
  duration: DurationPrinted,
  startTime: Timestamp.nullable().describe('`null` until voting opens; then the times of all three phases are fixed'),
  endTime: Timestamp.nullable().describe('Exclusive end of the phase; `null` until voting opens'),
  status: PhaseStatusEnum,
});

export function presentPhase({ proposal: { durations, phases }, view }: ProposalView, name: PhaseName) {
  const span = phases?.[name];
  return {
    duration: printDuration(durations[name]),
    startTime: span ? isoText(span.startsAt) : null,
    endTime: span ? isoText(span.endsAt) : null,
    status: view.phaseStatuses[name],
  };
}
