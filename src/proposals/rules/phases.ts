import type { FieldProblem } from '../../platform/error-registry.ts';
import {
  type DurationBound,
  type DurationBounds,
  printDuration,
  type Instant,
  secondsAfter,
} from '../../platform/units/time.ts';
import type { ProposalStatus, FailureReason } from './proposal.ts';
import type { Span } from '../../vaults/rules/window.ts';
import type { VoteOutcome } from '../../votes/rules.ts';

export const phaseNames = ['voting', 'lock', 'execution'] as const;
export type PhaseName = (typeof phaseNames)[number];

export const phaseStatuses = ['PENDING', 'ACTIVE', 'COMPLETED', 'FAILED'] as const;
/** The status of one phase. It is never stored; it follows from the proposal and the time. */
type PhaseStatus = (typeof phaseStatuses)[number];

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

/** The stored state of a proposal from which its visible state is derived. */
export interface ProposalSnapshot {
  readonly status: ProposalStatus;
  /** Null unless it has failed. */
  readonly failureReason: FailureReason | null;
  /** The instant at which it failed or was executed. */
  readonly endedAt: Instant | null;
  readonly draftExpiresAt: Instant;
  /** Null until voting opens. */
  readonly phases: ProposalPhases | null;
  /** The outcome of the vote if it ended now, or `asset_in_another_proposal` when another proposal already holds one of its assets. */
  readonly outcome: VoteOutcome | 'asset_in_another_proposal';
  /** Whether its execution transaction was sent and can still be confirmed. The execution phase waits for it (design D23). */
  readonly executionSent: boolean;
}

/** The state of a proposal as a reader sees it. */
export interface ProposalPhaseView {
  readonly status: ProposalStatus;
  readonly failureReason: FailureReason | null;
  readonly phase: 'draft' | PhaseName | 'ended';
  /** Null once the proposal has ended. */
  readonly phaseEndsAt: Instant | null;
  readonly phaseStatuses: Readonly<Record<PhaseName, PhaseStatus>>;
  /** Whole seconds since the stored status should have changed; 0 when it is on time. */
  readonly overdueSeconds: number;
}

/** The state of a proposal at `now`. It follows the time even when no worker has updated the stored status (design D23). */
export function phaseAt(proposal: ProposalSnapshot, now: Instant): ProposalPhaseView {
  const overdueSeconds = secondsSince(statusDeadline(proposal), now);
  switch (proposal.status) {
    case 'FAILED':
      return { ...failed(proposal.failureReason, failedIn(proposal)), overdueSeconds };
    case 'EXECUTED':
      return { ...executed, overdueSeconds };
    case 'DRAFT':
      if (now >= proposal.draftExpiresAt) return { ...failed('draft_expired', 'voting'), overdueSeconds };
      return { ...running('DRAFT', 'draft', proposal.draftExpiresAt), overdueSeconds };
    case 'ACTIVE': {
      const { voting } = opened(proposal);
      if (now < voting.endsAt) return { ...running('ACTIVE', 'voting', voting.endsAt), overdueSeconds };
      if (proposal.outcome !== 'passed') return { ...failed(proposal.outcome, 'voting'), overdueSeconds };
      return { ...passedAt(proposal, now), overdueSeconds };
    }
    case 'PASSED':
      return { ...passedAt(proposal, now), overdueSeconds };
  }
}

/** The instants at which time alone can change a proposal. */
export function proposalDeadlines({
  draftExpiresAt,
  phases,
}: Pick<ProposalSnapshot, 'draftExpiresAt' | 'phases'>): Instant[] {
  return [draftExpiresAt, ...(phases === null ? [] : phaseNames.map((name) => phases[name].endsAt))];
}

type State = Omit<ProposalPhaseView, 'overdueSeconds'>;

const executed: State = {
  status: 'EXECUTED',
  failureReason: null,
  phase: 'ended',
  phaseEndsAt: null,
  phaseStatuses: { voting: 'COMPLETED', lock: 'COMPLETED', execution: 'COMPLETED' },
};

function passedAt(proposal: ProposalSnapshot, now: Instant): State {
  const { lock, execution } = opened(proposal);
  // Another process with a clock ahead of ours may have sent the execution: then the lock phase is over.
  if (now < lock.endsAt && !proposal.executionSent) return running('PASSED', 'lock', lock.endsAt);
  if (now < execution.endsAt || proposal.executionSent) return running('PASSED', 'execution', execution.endsAt);
  return failed('execution_window_elapsed', 'execution');
}

function running(status: ProposalStatus, phase: 'draft' | PhaseName, phaseEndsAt: Instant): State {
  const phases = statusesAround(phase, 'ACTIVE', 'PENDING');
  return { status, failureReason: null, phase, phaseEndsAt, phaseStatuses: phases };
}

/** Phases after the failed one count as FAILED too, because they never start. */
function failed(failureReason: FailureReason | null, phase: PhaseName): State {
  const phases = statusesAround(phase, 'FAILED', 'FAILED');
  return { status: 'FAILED', failureReason, phase: 'ended', phaseEndsAt: null, phaseStatuses: phases };
}

function statusesAround(phase: 'draft' | PhaseName, at: PhaseStatus, later: PhaseStatus) {
  const current = phase === 'draft' ? -1 : phaseNames.indexOf(phase);
  const statusOf = (position: number): PhaseStatus =>
    position < current ? 'COMPLETED' : position === current ? at : later;
  return { voting: statusOf(0), lock: statusOf(1), execution: statusOf(2) };
}

function failedIn({ failureReason, phases, endedAt }: ProposalSnapshot): PhaseName {
  if (failureReason === 'execution_failed' || failureReason === 'execution_window_elapsed') return 'execution';
  if (failureReason !== 'cancelled' || phases === null || endedAt === null) return 'voting';
  if (endedAt < phases.voting.endsAt) return 'voting';
  return endedAt < phases.lock.endsAt ? 'lock' : 'execution';
}

/** The latest instant at which the stored status has to change. */
function statusDeadline(proposal: ProposalSnapshot): Instant | null {
  if (proposal.status === 'DRAFT') return proposal.draftExpiresAt;
  if (proposal.status === 'ACTIVE') return opened(proposal).voting.endsAt;
  return proposal.status === 'PASSED' ? opened(proposal).execution.endsAt : null;
}

function secondsSince(deadline: Instant | null, now: Instant): number {
  return deadline === null ? 0 : Math.max(0, Math.floor((now - deadline) / 1000));
}

function opened({ status, phases }: ProposalSnapshot): ProposalPhases {
  if (phases === null) throw new RangeError(`a proposal that is ${status} has phases`);
  return phases;
}

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
    const message = `Must be from ${printDuration(min)} to ${printDuration(max)} (DD:HH:MM).`;
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
    const message = `The vault requires at least ${printDuration(own)} (DD:HH:MM).`;
    return [{ code: 'THRESHOLD_BELOW_VAULT', message, field: `${prefix}${phase}_duration` }];
  });
}
