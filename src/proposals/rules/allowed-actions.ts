import { type Caller, mayActForAnyWallet, isPermitted, type RequiredPermission } from '../../access/rules.ts';
import { executeRefusal, type ExecutorSnapshot, freezeRefusal } from '../../executions/rules/execution.ts';
import type { ErrorCode } from '../../platform/error-registry.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Instant, isoText, secondsAfter } from '../../platform/units/time.ts';
import type { BaseUnits } from '../../platform/units/money.ts';
import type { RequestedEffect } from './effects.ts';
import {
  type ProposalSnapshot,
  phaseAt,
  type ProposalPhaseView,
  DRAFT_SECONDS,
  type PhaseDurations,
  planPhases,
} from './phases.ts';
import type { VaultStatus, TerminationReason } from '../../vaults/rules/vault.ts';
import { revocationRefusal, type VoteStatus, votingPowerRefusal } from '../../votes/rules.ts';

/** Actions that bring a proposal closer to its execution. A vault that is ending refuses them. */
const advancingActions: ReadonlySet<ProposalAction> = new Set(['endorse', 'freeze', 'execute']);

/** Whether an action is allowed, with the error code when it is not. */
export interface AllowedProposalAction {
  readonly action: ProposalAction;
  readonly allowed: boolean;
  readonly reason: ErrorCode | null;
}

/** What decides whether a wallet may endorse a draft. */
interface EndorsementSnapshot {
  /** Base units that the wallet has staked. */
  readonly power: BaseUnits;
  /** Whether the wallet neither proposed nor endorsed it before. */
  readonly isNew: boolean;
  /** Whether the endorsing stakes, with those of this wallet, open voting. */
  readonly opensVoting: boolean;
}

/** What decides which actions on a proposal one wallet may take. */
export interface ParticipationSnapshot {
  readonly endorsing: EndorsementSnapshot;
  /** Base units with which the wallet can vote. */
  readonly votingPower: BaseUnits;
  /** The status of the wallet's last vote; null when it never voted. */
  readonly vote: VoteStatus | null;
  readonly mayCancel: boolean;
  readonly executing: ExecutorSnapshot;
}

/** The caller of an action: a wallet, or an API key without one, with the actions that it may take for any wallet. */
export type ActionCaller = ParticipationSnapshot | { readonly forAnyWallet: readonly ProposalAction[] };

const permissions: Readonly<Record<ProposalAction, RequiredPermission>> = {
  endorse: { resource: 'endorsement', action: 'CREATE' },
  vote: { resource: 'vote', action: 'CREATE' },
  revokeVote: { resource: 'vote', action: 'DELETE' },
  cancel: { resource: 'proposal', action: 'DELETE' },
  freeze: { resource: 'execution', action: 'CREATE' },
  execute: { resource: 'execution', action: 'CREATE' },
};

/** The actions that an API key without a wallet may take for any wallet. */
export function actionsForAnyWallet(caller: Caller): readonly ProposalAction[] {
  if (!mayActForAnyWallet(caller)) return [];
  return proposalActions.filter((action) => isPermitted(caller.permissions, permissions[action]));
}

/** Every action on a proposal with whether `caller` may take it at `now`, and the error code when not. */
export function allowedProposalActions(
  proposal: ProposalSnapshot,
  vault: GovernedVault,
  caller: ActionCaller,
  now: Instant,
): readonly AllowedProposalAction[] {
  return proposalActions.map((action) => {
    const closed =
      proposalActionRefusal(action, proposal, now) ??
      (advancingActions.has(action) ? governanceRefusal(vault) : undefined);
    const reason = refusalTo(caller, action, closed);
    return { action, allowed: reason === undefined, reason: reason ?? null };
  });
}

/** Checks in the same order as the operations. `closed` is the error code that applies to every caller. */
function refusalTo(caller: ActionCaller, action: ProposalAction, closed: ErrorCode | undefined): ErrorCode | undefined {
  if ('forAnyWallet' in caller) return caller.forAnyWallet.includes(action) ? closed : 'INSUFFICIENT_PERMISSIONS';
  return refusalInEveryPhase(action, caller) ?? closed ?? refusalToWallet(action, caller);
}

/** Refusals that do not depend on the phase: revoking a vote that does not exist, and cancelling a proposal of others. */
function refusalInEveryPhase(
  action: ProposalAction,
  { vote, mayCancel }: ParticipationSnapshot,
): ErrorCode | undefined {
  if (action === 'revokeVote' && vote === null) return revocationRefusal(vote);
  return action === 'cancel' && !mayCancel ? 'INSUFFICIENT_PERMISSIONS' : undefined;
}

/** Refusals of an action that the phase allows, but not to this wallet. */
function refusalToWallet(action: ProposalAction, wallet: ParticipationSnapshot): ErrorCode | undefined {
  switch (action) {
    case 'endorse':
      return endorsingRefusal(wallet.endorsing);
    case 'vote':
      return votingPowerRefusal(wallet.votingPower);
    case 'revokeVote':
      return revocationRefusal(wallet.vote);
    case 'cancel':
      return undefined;
    case 'freeze':
      return freezeRefusal(wallet.executing);
    case 'execute':
      return executeRefusal(wallet.executing);
  }
}

/** The error code for an endorsement of a draft; undefined when it is accepted. */
function endorsingRefusal({ power, isNew, opensVoting }: EndorsementSnapshot): ErrorCode | undefined {
  if (power === 0n) return 'INSUFFICIENT_VOTING_POWER';
  // A wallet that has staked more since may endorse again: otherwise a draft that all endorsed too early could never open.
  return isNew || opensVoting ? undefined : 'ALREADY_ENDORSED';
}

/** Throws INSUFFICIENT_VOTING_POWER for a wallet without stakes, and ALREADY_ENDORSED unless it is new or opens voting. */
export function requireMayEndorse(wallet: string, endorsing: EndorsementSnapshot): void {
  const refusal = endorsingRefusal(endorsing);
  if (!refusal) return;
  throw new ServiceError(refusal, endorsing.power === 0n ? { required: '1', available: '0' } : { wallet });
}

export const proposalActions = ['endorse', 'vote', 'revokeVote', 'cancel', 'freeze', 'execute'] as const;
type ProposalAction = (typeof proposalActions)[number];

/** The error code for an action on a proposal at `now`; undefined when the phase allows the action. */
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

/** What decides whether a vault can be governed. */
export interface GovernedVault {
  readonly status: VaultStatus;
  /** Set as soon as the vault starts to end. */
  readonly failedBecause: TerminationReason | null;
  /** Whether its holders can claim, and decide sales, while it ends. */
  readonly claimsOpen: boolean;
}

/** The error code for stakes, proposals, endorsements and executions in a vault; undefined while it allows them (design D23, D31). */
export function governanceRefusal({ status, failedBecause, claimsOpen }: GovernedVault): ErrorCode | undefined {
  if (status === 'TERMINATED' || (failedBecause !== null && !claimsOpen)) return 'VAULT_ALREADY_ENDED';
  return status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
}

/**
 * Whether a vault refuses a proposal because it ends: while the claims on it run, its holders can only sell its assets, and take back
 * for a sale those that it has staked elsewhere.
 */
export function isRefusedWhileEnding(
  { claimsOpen }: Pick<GovernedVault, 'claimsOpen'>,
  { type, terms }: Pick<RequestedEffect, 'type' | 'terms'>,
): boolean {
  return claimsOpen && type !== 'ASSET_SALE' && !(type === 'STAKE' && terms.direction === 'back');
}

/** How long stakes that a vote has locked can still be claimed for: 3 days. */
const CLAIM_SECONDS_AFTER_EXECUTION = 3 * 86_400;

/** When the execution phase of a proposal would end whose vote opens at `now`, if that is too late for the claims; null otherwise. */
export function endAfterClaims(durations: PhaseDurations, claimDeadline: Instant | null, now: Instant): Instant | null {
  const { endsAt } = planPhases(now, durations).execution;
  return claimDeadline !== null && secondsAfter(endsAt, CLAIM_SECONDS_AFTER_EXECUTION) > claimDeadline ? endsAt : null;
}

/** How long after the claims have opened a draft may be made at least, and endorsed at its last moment: 4 days. */
const SECONDS_TO_DRAFT = 4 * 86_400;

/**
 * How long claims run at least, so that one sale can be decided meanwhile, also one that takes long to be endorsed. It may be drafted once the
 * `longest` phases of a proposal have passed: so long somebody can reserve all assets, by sales that nobody executes and whose votes have
 * opened before other holders staked.
 */
export function secondsForOneSale(phases: PhaseDurations, longest: PhaseDurations): number {
  const toDraft = Math.max(SECONDS_TO_DRAFT, secondsOf(longest));
  return toDraft + DRAFT_SECONDS + secondsOf(phases) + CLAIM_SECONDS_AFTER_EXECUTION;
}

function secondsOf({ voting, lock, execution }: PhaseDurations): number {
  return voting + lock + execution;
}
