import { type ErrorCode, ServiceError } from '../../platform/errors/errors.ts';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import { type ProposalSnapshot, phaseAt, type ProposalPhaseView } from './phase-view.ts';

export const proposalActions = ['endorse', 'vote', 'revokeVote', 'cancel', 'freeze', 'execute'] as const;
export type ProposalAction = (typeof proposalActions)[number];

/** The error code for an action on a proposal at `now`; undefined when the phase allows the action. */
export function proposalActionRefusal(
  action: ProposalAction,
  proposal: ProposalSnapshot,
  now: Instant,
): ErrorCode | undefined {
  const { phase } = phaseAt(proposal, now);
  switch (action) {
    case 'endorse':
      return phase === 'draft' ? undefined : 'ENDORSING_CLOSED';
    case 'vote':
    case 'revokeVote':
      return votingRefusal(phase);
    case 'cancel':
      return phase === 'draft' || phase === 'lock' ? undefined : 'PROPOSAL_NOT_CANCELLABLE';
    case 'freeze':
    case 'execute':
      return executionRefusal(phase, proposal);
  }
}

/** Throws the error code of an action that the phase at `now` does not allow, with the phase and its end. */
export function requireAction(action: ProposalAction, proposal: ProposalSnapshot, now: Instant): void {
  const refusal = proposalActionRefusal(action, proposal, now);
  if (!refusal) return;
  const { phase, phaseEndsAt } = phaseAt(proposal, now);
  throw new ServiceError(refusal, { phase, phaseEndsAt: phaseEndsAt === null ? null : isoText(phaseEndsAt) });
}

function votingRefusal(phase: ProposalPhaseView['phase']): ErrorCode | undefined {
  if (phase === 'draft') return 'VOTING_NOT_OPEN';
  return phase === 'voting' ? undefined : 'VOTING_CLOSED';
}

function executionRefusal(phase: ProposalPhaseView['phase'], proposal: ProposalSnapshot): ErrorCode | undefined {
  if (phase === 'ended') return 'EXECUTION_CLOSED';
  if (phase !== 'execution') return 'EXECUTION_NOT_OPEN';
  // The vote has ended, but no worker has counted it yet.
  if (proposal.status === 'ACTIVE') return 'SERVICE_NOT_READY';
  return proposal.executionSent ? 'EXECUTION_UNDER_WAY' : undefined;
}
