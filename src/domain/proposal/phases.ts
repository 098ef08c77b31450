import { type DurationBound, type DurationBounds } from '../units/duration.ts';
import { type Instant, secondsAfter } from '../units/instant.ts';
import { type FailureReason, type ProposalStatus } from './proposal.ts';
import { type VoteOutcome } from '../vote/tally.ts';
import { type Span } from '../vault/window.ts';

export const phaseNames = ['voting', 'lock', 'execution'] as const;
export type PhaseName = (typeof phaseNames)[number];

export const phaseStatuses = ['PENDING', 'ACTIVE', 'COMPLETED', 'FAILED'] as const;
/** Never stored: it follows from the proposal and the clock. */
export type PhaseStatus = (typeof phaseStatuses)[number];

/** In seconds. */
export type PhaseDurations = Readonly<Record<PhaseName, number>>;

/** The absolute phases of a proposal whose voting has opened. */
export type ProposalPhases = Readonly<Record<PhaseName, Span>>;

const HOUR = 3600;
const USUAL: PhaseDurations = { voting: 72 * HOUR, lock: 24 * HOUR, execution: 48 * HOUR };
const DRAFT_SECONDS = 7 * 24 * HOUR;

/** When a draft without enough endorsements fails: 7 days after its creation (design D23). */
export function draftDeadline(createdAt: Instant): Instant {
  return secondsAfter(createdAt, DRAFT_SECONDS);
}

/** The phases' lengths in a vault that names none: 72 h, 24 h and 48 h, as far as the deployment's bounds allow. */
export function defaultPhaseDurations(bounds: DurationBounds): PhaseDurations {
  const within = (seconds: number, { min, max }: DurationBound) => Math.min(Math.max(seconds, min), max);
  return {
    voting: within(USUAL.voting, bounds.voting),
    lock: within(USUAL.lock, bounds.lock),
    execution: within(USUAL.execution, bounds.execution),
  };
}

/** The three phases one after the other, fixed when voting opens: lateness never moves them (design D3). */
export function planPhases(openedAt: Instant, durations: PhaseDurations): ProposalPhases {
  const voting = span(openedAt, durations.voting);
  const lock = span(voting.endsAt, durations.lock);
  return { voting, lock, execution: span(lock.endsAt, durations.execution) };
}

/** What a proposal's shown state follows from. */
export interface ProposalSnapshot {
  readonly status: ProposalStatus;
  /** Null unless it has failed. */
  readonly failureReason: FailureReason | null;
  /** When it failed or was executed. */
  readonly endedAt: Instant | null;
  readonly draftExpiresAt: Instant;
  /** Null until voting opens. */
  readonly phases: ProposalPhases | null;
  /** What the vote would come to as it is now; nothing when another proposal has passed over the same asset. */
  readonly standing: VoteOutcome | 'asset_in_another_proposal';
  /** Its execution transaction was sent and can still land; the phase waits for it (design D23). */
  readonly executionSent: boolean;
}

export interface ProposalPhaseView {
  readonly status: ProposalStatus;
  readonly failureReason: FailureReason | null;
  readonly phase: 'draft' | PhaseName | 'ended';
  /** Null once the proposal has ended. */
  readonly phaseEndsAt: Instant | null;
  readonly phaseStatuses: Readonly<Record<PhaseName, PhaseStatus>>;
  /** Whole seconds since the stored state should have changed; 0 when it is on time. */
  readonly overdueSeconds: number;
}

/** The state a reader is shown at `now`: right for the clock even when no worker has moved the proposal on (design D23). */
export function phaseAt(proposal: ProposalSnapshot, now: Instant): ProposalPhaseView {
  const overdueSeconds = secondsSince(missedDeadline(proposal), now);
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
      if (proposal.standing !== 'passed') return { ...failed(proposal.standing, 'voting'), overdueSeconds };
      return { ...passedAt(proposal, now), overdueSeconds };
    }
    case 'PASSED':
      return { ...passedAt(proposal, now), overdueSeconds };
  }
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
  // What was sent by a clock that is ahead is past the lock, whatever this one says.
  if (now < lock.endsAt && !proposal.executionSent) return running('PASSED', 'lock', lock.endsAt);
  if (now < execution.endsAt || proposal.executionSent) return running('PASSED', 'execution', execution.endsAt);
  return failed('execution_window_elapsed', 'execution');
}

function running(status: ProposalStatus, phase: 'draft' | PhaseName, phaseEndsAt: Instant): State {
  const phases = statusesAround(phase, 'ACTIVE', 'PENDING');
  return { status, failureReason: null, phase, phaseEndsAt, phaseStatuses: phases };
}

/** A phase that will never come has failed like the one that stopped the proposal. */
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

/** The deadline at which the stored status ends at the latest. */
function missedDeadline(proposal: ProposalSnapshot): Instant | null {
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

function span(startsAt: Instant, seconds: number): Span {
  return { startsAt, endsAt: secondsAfter(startsAt, seconds) };
}
