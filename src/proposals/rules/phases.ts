import { type DurationBound, type DurationBounds } from '../../platform/units/duration.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import { type Span } from '../../vaults/rules/window.ts';

export const phaseNames = ['voting', 'lock', 'execution'] as const;
export type PhaseName = (typeof phaseNames)[number];

export const phaseStatuses = ['PENDING', 'ACTIVE', 'COMPLETED', 'FAILED'] as const;
/** The status of one phase. It is never stored; it follows from the proposal and the time. */
export type PhaseStatus = (typeof phaseStatuses)[number];

/** Lengths of the three phases in seconds. */
export type PhaseDurations = Readonly<Record<PhaseName, number>>;

/** The absolute phases of a proposal whose voting has opened. */
export type ProposalPhases = Readonly<Record<PhaseName, Span>>;

const HOUR = 3600;
const DEFAULT_DURATIONS: PhaseDurations = { voting: 72 * HOUR, lock: 24 * HOUR, execution: 48 * HOUR };
/** How long a draft collects endorsements: 7 days. */
export const DRAFT_SECONDS = 7 * 24 * HOUR;

/** The instant at which a draft without enough endorsements fails: 7 days after its creation (design D23). */
export function draftDeadline(createdAt: Instant): Instant {
  return secondsAfter(createdAt, DRAFT_SECONDS);
}

/** The phase lengths of a vault that sets none: 72 h, 24 h and 48 h, within the deployment's bounds. Seconds. */
export function defaultPhaseDurations(bounds: DurationBounds): PhaseDurations {
  const within = (seconds: number, { min, max }: DurationBound) => Math.min(Math.max(seconds, min), max);
  return {
    voting: within(DEFAULT_DURATIONS.voting, bounds.voting),
    lock: within(DEFAULT_DURATIONS.lock, bounds.lock),
    execution: within(DEFAULT_DURATIONS.execution, bounds.execution),
  };
}

/** Plans the three phases one after the other. They are fixed when voting opens; a late worker never moves them (design D3). */
export function planPhases(openedAt: Instant, durations: PhaseDurations): ProposalPhases {
  const voting = span(openedAt, durations.voting);
  const lock = span(voting.endsAt, durations.lock);
  return { voting, lock, execution: span(lock.endsAt, durations.execution) };
}

function span(startsAt: Instant, seconds: number): Span {
  return { startsAt, endsAt: secondsAfter(startsAt, seconds) };
}
