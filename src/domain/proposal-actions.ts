import { type ErrorCode, ServiceError } from './errors.ts';
import { type Instant, isoText } from './instant.ts';
import { phaseAt, type ProposalFacts, type ProposalView } from './proposal-phases.ts';
import { type TerminationReason, type VaultStatus } from './vault.ts';

export const proposalActions = ['endorse', 'vote', 'revokeVote', 'cancel', 'execute'] as const;
export type ProposalAction = (typeof proposalActions)[number];

export interface AllowedProposalAction {
  readonly action: ProposalAction;
  readonly allowed: boolean;
  readonly reason?: ErrorCode;
}

/** Every action on a proposal with whether it is open to anyone at `now`, and the code it would be refused with. */
export function allowedProposalActions(
  proposal: ProposalFacts,
  vault: GovernedVault,
  now: Instant,
): readonly AllowedProposalAction[] {
  return proposalActions.map((action) => {
    const refusal = proposalActionRefusal(action, proposal, now);
    const reason = refusal ?? (action === 'execute' ? governanceRefusal(vault) : undefined);
    return reason ? { action, allowed: false, reason } : { action, allowed: true };
  });
}

/** The code an action on a proposal is refused with at `now`; undefined when it is open. */
function proposalActionRefusal(action: ProposalAction, proposal: ProposalFacts, now: Instant): ErrorCode | undefined {
  const { phase } = phaseAt(proposal, now);
  switch (action) {
    case 'endorse':
      return phase === 'draft' ? undefined : 'ENDORSING_CLOSED';
    case 'vote':
    case 'revokeVote':
      return votingRefusal(phase);
    case 'cancel':
      return phase === 'draft' || phase === 'lock' ? undefined : 'PROPOSAL_NOT_CANCELLABLE';
    case 'execute':
      return executionRefusal(phase, proposal);
  }
}

/** Throws the code an action is refused with, and the phase the proposal is in, unless the action is open at `now`. */
export function requireAction(action: ProposalAction, proposal: ProposalFacts, now: Instant): void {
  const refusal = proposalActionRefusal(action, proposal, now);
  if (!refusal) return;
  const { phase, phaseEndsAt } = phaseAt(proposal, now);
  throw new ServiceError(refusal, { phase, phaseEndsAt: phaseEndsAt === null ? null : isoText(phaseEndsAt) });
}

export interface GovernedVault {
  readonly status: VaultStatus;
  /** Set as soon as the vault is on its way to its end. */
  readonly failedBecause: TerminationReason | null;
}

/** Why a vault takes neither stakes nor proposals and executes none; undefined while it does (design D23). */
export function governanceRefusal({ status, failedBecause }: GovernedVault): ErrorCode | undefined {
  if (status === 'TERMINATED' || failedBecause !== null) return 'VAULT_ALREADY_ENDED';
  return status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
}

function votingRefusal(phase: ProposalView['phase']): ErrorCode | undefined {
  if (phase === 'draft') return 'VOTING_NOT_OPEN';
  return phase === 'voting' ? undefined : 'VOTING_CLOSED';
}

function executionRefusal(phase: ProposalView['phase'], proposal: ProposalFacts): ErrorCode | undefined {
  if (phase === 'ended') return 'EXECUTION_CLOSED';
  if (phase !== 'execution') return 'EXECUTION_NOT_OPEN';
  // Its vote is over, but no worker has counted it.
  if (proposal.status === 'ACTIVE') return 'SERVICE_NOT_READY';
  return proposal.executionSent ? 'EXECUTION_UNDER_WAY' : undefined;
}
