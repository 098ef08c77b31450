import type { Instant } from '../../platform/units/instant.ts';
import type { VoteOutcome } from '../../votes/rules/outcome.ts';
import { type ProposalPhases, type PhaseName, type PhaseStatus, phaseNames } from './phases.ts';
import type { ProposalStatus, FailureReason } from './proposal.ts';

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
  /** Whether its execution transaction was sent and can still land. The execution phase waits for it (design D23). */
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
