import { type ErrorCode, ServiceError } from '../../platform/errors/errors.ts';
import { executeRefusal, type ExecutorSnapshot, freezeRefusal } from '../../executions/rules/executor-refusals.ts';
import { type Caller, mayActForAnyWallet } from '../../access/rules/caller.ts';
import { isPermitted, type RequiredPermission } from '../../access/rules/permission.ts';
import { type Instant } from '../../platform/units/instant.ts';
import { type BaseUnits } from '../../platform/units/money.ts';

import { revocationRefusal, type VoteStatus } from '../../votes/rules/vote.ts';
import type { ProposalSnapshot } from './phase-view.ts';
import { type GovernedVault, governanceRefusal } from './governed-vault.ts';
import { type ProposalAction, proposalActions, proposalActionRefusal } from './action-refusals.ts';
import { votingPowerRefusal } from '../../votes/rules/voting-power.ts';

/** Actions that bring a proposal closer to its execution. A vault that is ending refuses them. */
const advancingActions: ReadonlySet<ProposalAction> = new Set(['endorse', 'freeze', 'execute']);

/** Whether an action is allowed, with the error code when it is not. */
export interface AllowedProposalAction {
  readonly action: ProposalAction;
  readonly allowed: boolean;
  readonly reason: ErrorCode | null;
}

/** What decides whether a wallet may endorse a draft. */
export interface EndorsementSnapshot {
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
