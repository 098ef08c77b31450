import { type ClaimableVault, claimRefusal } from '../../termination/rules/claims.ts';
import type { ErrorCode } from '../../platform/error-registry.ts';
import {
  type Caller,
  mayActForAnyWallet,
  couldBePermitted,
  isPermitted,
  type RequiredPermission,
} from '../../access/rules.ts';
import type { PausedArea } from '../../operations/rules.ts';
import type { Instant } from '../../platform/units/time.ts';
import { mayContribute, mayInvest, type VaultAccess } from './access.ts';
import type { TerminationReason, VaultStatus } from './vault.ts';
import { type Window, windowRefusal } from './window.ts';

export const vaultActions = [
  'addAsset',
  'removeAsset',
  'invest',
  'stake',
  'propose',
  'claim',
  'rotate',
  'changeAllowList',
  'changeSettings',
  'cancel',
  'delete',
] as const;
export type VaultAction = (typeof vaultActions)[number];

/** The state of a vault that decides which actions are open. */
export interface VaultActionSnapshot {
  readonly status: VaultStatus;
  /** Set as soon as the end of the vault is decided. */
  readonly terminationReason: TerminationReason | null;
  /** Whether holders of a vault that ends can claim, and decide sales. */
  readonly claimsOpen: boolean;
  readonly assetWindow: Window;
  readonly investmentWindow: Window;
  readonly countedAssets: number;
  readonly maxAssets: number;
  readonly settlementStarted: boolean;
  /** Its rotation that is announced or runs; null for none. */
  readonly rotationId: string | null;
  /** Null until the end of the settled vault is certain; with whether an execution was sent that is not final. */
  readonly claimable: (ClaimableVault & { readonly awaitsExecution: boolean }) | null;
}

export interface AllowedAction {
  readonly action: VaultAction;
  readonly allowed: boolean;
  /** The error code of the refusal; null when it is allowed. */
  readonly reason: ErrorCode | null;
}

/** Who asks, and what decides about them. */
export interface VaultActor {
  readonly caller: Caller;
  readonly access: VaultAccess;
  /** Whether an asset of the caller's wallet is in the vault. */
  readonly hasAssets: boolean;
  /** Whether the stakes of the caller's wallet reach the creation threshold of proposals. */
  readonly mayPropose: boolean;
  /** What the operator has paused. */
  readonly paused: readonly PausedArea[];
}

/** Every action on a vault, whether the caller may take it at `now`, and otherwise the error code of the refusal. */
export function allowedVaultActions(
  snapshot: VaultActionSnapshot,
  actor: VaultActor,
  now: Instant,
): readonly AllowedAction[] {
  return vaultActions.map((action) => {
    const reason =
      permissionRefusal(action, actor) ??
      pauseRefusal(action, actor) ??
      vaultActionRefusal(action, snapshot, now) ??
      walletRefusal(action, actor);
    return { action, allowed: reason === undefined, reason: reason ?? null };
  });
}

const permissions: Readonly<Record<VaultAction, RequiredPermission>> = {
  addAsset: { resource: 'asset', action: 'CREATE' },
  removeAsset: { resource: 'asset', action: 'DELETE' },
  invest: { resource: 'investment', action: 'CREATE' },
  stake: { resource: 'stake', action: 'CREATE' },
  propose: { resource: 'proposal', action: 'CREATE' },
  claim: { resource: 'claim', action: 'CREATE' },
  rotate: { resource: 'rotation', action: 'CREATE' },
  changeAllowList: { resource: 'vault', action: 'UPDATE' },
  changeSettings: { resource: 'vault', action: 'UPDATE' },
  cancel: { resource: 'vault', action: 'UPDATE' },
  delete: { resource: 'vault', action: 'DELETE' },
};

function permissionRefusal(action: VaultAction, { caller, access }: VaultActor): ErrorCode | undefined {
  const required = permissions[action];
  return isPossible(caller, required, access) ? undefined : 'INSUFFICIENT_PERMISSIONS';
}

function isPossible(caller: Caller, required: RequiredPermission, { createdBy }: VaultAccess): boolean {
  const { permissions: held, wallet } = caller;
  if (required.resource === 'vault') return isPermitted(held, required, { own: wallet === createdBy });
  // What is conditional is so on the wallet of a session.
  return wallet === null ? mayActForAnyWallet(caller) && isPermitted(held, required) : couldBePermitted(held, required);
}

/**
 * Refusals of an action that is open, but not to the caller's wallet. A session names its own wallet only; what others have added, a
 * key that may act for any wallet removes with it too.
 */
function walletRefusal(action: VaultAction, actor: VaultActor): ErrorCode | undefined {
  const { wallet } = actor.caller;
  const rule = walletRules[action];
  if (wallet === null || !rule) return undefined;
  if (action === 'removeAsset' && mayActForAnyWallet(actor.caller)) return undefined;
  return rule.isOpenTo(actor, wallet) ? undefined : rule.otherwise;
}

interface WalletRule {
  readonly isOpenTo: (actor: VaultActor, wallet: string) => boolean;
  readonly otherwise: ErrorCode;
}

const walletRules: Readonly<Partial<Record<VaultAction, WalletRule>>> = {
  addAsset: {
    isOpenTo: ({ access }, wallet) => mayContribute(access, wallet),
    otherwise: 'CONTRIBUTOR_NOT_WHITELISTED',
  },
  removeAsset: {
    isOpenTo: ({ access, hasAssets }, wallet) => hasAssets || wallet === access.createdBy,
    otherwise: 'INSUFFICIENT_PERMISSIONS',
  },
  invest: { isOpenTo: ({ access }, wallet) => mayInvest(access, wallet), otherwise: 'INVESTOR_NOT_WHITELISTED' },
  propose: { isOpenTo: ({ mayPropose }) => mayPropose, otherwise: 'CREATION_THRESHOLD_NOT_MET' },
};

/** The error code that refuses an action on a vault at `now` to everyone; undefined when the action is open. */
export function vaultActionRefusal(
  action: VaultAction,
  snapshot: VaultActionSnapshot,
  now: Instant,
): ErrorCode | undefined {
  if (action === 'delete') return deletionRefusal(snapshot);
  if (action === 'claim') return claimingRefusal(snapshot, now);
  const isOpen = snapshot.claimsOpen && (action === 'stake' || action === 'propose');
  if (snapshot.status === 'TERMINATED' || (snapshot.terminationReason && !isOpen)) return 'VAULT_ALREADY_ENDED';
  return refusals[action]?.(snapshot, now);
}

function claimingRefusal({ claimable }: VaultActionSnapshot, now: Instant): ErrorCode | undefined {
  return claimRefusal(claimable, now) ?? (claimable?.awaitsExecution ? 'CLAIMS_AWAIT_SALE' : undefined);
}

const areas: Readonly<Partial<Record<VaultAction, PausedArea>>> = {
  addAsset: 'contribution',
  invest: 'investment',
  stake: 'governance',
  propose: 'governance',
};

function pauseRefusal(action: VaultAction, { paused }: VaultActor): ErrorCode | undefined {
  const area = areas[action];
  return area !== undefined && paused.includes(area) ? 'OPERATION_PAUSED' : undefined;
}

type Refusal = (snapshot: VaultActionSnapshot, now: Instant) => ErrorCode | undefined;

/** What refuses an action while the vault has not ended; nothing does for those that are absent. */
const refusals: Readonly<Partial<Record<VaultAction, Refusal>>> = {
  addAsset: (snapshot, now) => windowRefusal(snapshot.assetWindow, now) ?? roomRefusal(snapshot),
  removeAsset: ({ assetWindow }, now) => windowRefusal(assetWindow, now),
  invest: ({ investmentWindow }, now) => windowRefusal(investmentWindow, now),
  stake: lockRefusal,
  propose: lockRefusal,
  rotate: (snapshot) => lockRefusal(snapshot) ?? (snapshot.rotationId === null ? undefined : 'ROTATION_UNDER_WAY'),
  cancel: cancelRefusal,
};

function lockRefusal({ status }: VaultActionSnapshot): ErrorCode | undefined {
  return status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
}

function roomRefusal(snapshot: VaultActionSnapshot): ErrorCode | undefined {
  return snapshot.countedAssets >= snapshot.maxAssets ? 'MAX_ASSETS_REACHED' : undefined;
}

function cancelRefusal(snapshot: VaultActionSnapshot): ErrorCode | undefined {
  return snapshot.status === 'LOCKED' || snapshot.settlementStarted ? 'VAULT_NOT_CANCELLABLE' : undefined;
}

function deletionRefusal({ status }: VaultActionSnapshot): ErrorCode | undefined {
  return status === 'DRAFT' || status === 'TERMINATED' ? undefined : 'VAULT_NOT_DELETABLE';
}
