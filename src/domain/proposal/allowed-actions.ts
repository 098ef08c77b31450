import { type ErrorCode, ServiceError } from '../errors.ts';
import { type Instant, isoText } from '../units/instant.ts';
import { type BaseUnits } from '../units/money.ts';
import { phaseAt, type ProposalSnapshot, type ProposalPhaseView } from './phases.ts';
import { type TerminationReason, type VaultStatus } from '../vault/vault.ts';
import { votingPowerRefusal, revocationRefusal, type VoteStatus } from '../vote/vote.ts';

export const proposalActions = ['endorse', 'vote', 'revokeVote', 'cancel', 'execute'] as const;
export type ProposalAction = (typeof proposalActions)[number];

/** What brings a proposal nearer to its execution; in a vault that is ending nothing does any more. */
const goesOn: ReadonlySet<ProposalAction> = new Set(['endorse', 'execute']);

export interface AllowedProposalAction {
  readonly action: ProposalAction;
  readonly allowed: boolean;
  readonly reason?: ErrorCode;
}

/** What a wallet that endorses a draft has to show. */
export interface EndorsementSnapshot {
  /** All it has staked. */
  readonly power: BaseUnits;
  /** It neither made the proposal nor has endorsed it. */
  readonly isNew: boolean;
  /** With it, enough stands behind the draft to open the vote. */
  readonly opens: boolean;
}

/** What decides which actions on a proposal are open to one wallet. */
export interface ParticipationSnapshot {
  readonly endorsing: EndorsementSnapshot;
  /** What it has in the vote. */
  readonly votingPower: BaseUnits;
  /** Of its last vote; null when it never voted. */
  readonly vote: VoteStatus | null;
  readonly mayCancel: boolean;
  readonly mayExecute: boolean;
}

/** Who asks what can be done: a wallet, a key that acts for anyone, or one that acts for nobody. */
export type ActionCaller = ParticipationSnapshot | 'anyone' | 'nobody';

/** Every action on a proposal with whether it is open at `now` to who asks, and the code it would be refused with. */
export function allowedProposalActions(
  proposal: ProposalSnapshot,
  vault: GovernedVault,
  asking: ActionCaller,
  now: Instant,
): readonly AllowedProposalAction[] {
  return proposalActions.map((action) => {
    const closed =
      proposalActionRefusal(action, proposal, now) ?? (goesOn.has(action) ? governanceRefusal(vault) : undefined);
    const reason = refusalTo(asking, action, closed);
    return reason ? { action, allowed: false, reason } : { action, allowed: true };
  });
}

/** In the order in which the operations refuse; `closed` is what they answer everybody. */
function refusalTo(asking: ActionCaller, action: ProposalAction, closed: ErrorCode | undefined): ErrorCode | undefined {
  if (asking === 'nobody') return 'INSUFFICIENT_PERMISSIONS';
  if (asking === 'anyone') return closed;
  return claimRefusal(action, asking) ?? closed ?? meansRefusal(action, asking);
}

/** What is refused in every phase: to take back what is not there, and to cancel what is others'. */
function claimRefusal(action: ProposalAction, { vote, mayCancel }: ParticipationSnapshot): ErrorCode | undefined {
  if (action === 'revokeVote' && vote === null) return revocationRefusal(vote);
  return action === 'cancel' && !mayCancel ? 'INSUFFICIENT_PERMISSIONS' : undefined;
}

/** What is refused to a wallet although others could do it now. */
function meansRefusal(action: ProposalAction, part: ParticipationSnapshot): ErrorCode | undefined {
  switch (action) {
    case 'endorse':
      return endorsingRefusal(part.endorsing);
    case 'vote':
      return votingPowerRefusal(part.votingPower);
    case 'revokeVote':
      return revocationRefusal(part.vote);
    case 'cancel':
      return undefined;
    case 'execute':
      return part.mayExecute ? undefined : 'EXECUTOR_NOT_ELIGIBLE';
  }
}

/** The code an endorsement of a draft is refused with; undefined when it counts. */
function endorsingRefusal({ power, isNew, opens }: EndorsementSnapshot): ErrorCode | undefined {
  if (power === 0n) return 'INSUFFICIENT_VOTING_POWER';
  // Who has staked more since may say so again, or a draft that everybody endorsed too early could never open.
  return isNew || opens ? undefined : 'ALREADY_ENDORSED';
}

/** Throws INSUFFICIENT_VOTING_POWER for a wallet that has staked nothing, and ALREADY_ENDORSED unless it is new or opens the vote. */
export function requireEndorsing(wallet: string, endorsing: EndorsementSnapshot): void {
  const refusal = endorsingRefusal(endorsing);
  if (!refusal) return;
  throw new ServiceError(refusal, endorsing.power === 0n ? { required: '1', available: '0' } : { wallet });
}

/** The code an action on a proposal is refused with at `now`; undefined when it is open. */
function proposalActionRefusal(
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
    case 'execute':
      return executionRefusal(phase, proposal);
  }
}

/** Throws the code an action is refused with, and the phase the proposal is in, unless the action is open at `now`. */
export function requireAction(action: ProposalAction, proposal: ProposalSnapshot, now: Instant): void {
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

/** Why a vault takes no stakes, proposals or endorsements and executes nothing; undefined while it does (design D23). */
export function governanceRefusal({ status, failedBecause }: GovernedVault): ErrorCode | undefined {
  if (status === 'TERMINATED' || failedBecause !== null) return 'VAULT_ALREADY_ENDED';
  return status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
}

function votingRefusal(phase: ProposalPhaseView['phase']): ErrorCode | undefined {
  if (phase === 'draft') return 'VOTING_NOT_OPEN';
  return phase === 'voting' ? undefined : 'VOTING_CLOSED';
}

function executionRefusal(phase: ProposalPhaseView['phase'], proposal: ProposalSnapshot): ErrorCode | undefined {
  if (phase === 'ended') return 'EXECUTION_CLOSED';
  if (phase !== 'execution') return 'EXECUTION_NOT_OPEN';
  // Its vote is over, but no worker has counted it.
  if (proposal.status === 'ACTIVE') return 'SERVICE_NOT_READY';
  return proposal.executionSent ? 'EXECUTION_UNDER_WAY' : undefined;
}
