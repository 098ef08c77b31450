import { type ErrorCode } from '../errors.ts';
import { type Instant } from '../units/instant.ts';
import { type TerminationReason, type VaultStatus } from './vault.ts';
import { type Window, windowRefusal } from './window.ts';

export const vaultActions = ['addAsset', 'removeAsset', 'invest', 'stake', 'cancel'] as const;
export type VaultAction = (typeof vaultActions)[number];

/** The state of a vault that decides which actions are open. Access rules decide who may take them. */
export interface VaultActionSnapshot {
  readonly status: VaultStatus;
  /** Set as soon as the end of the vault is decided. */
  readonly terminationReason: TerminationReason | null;
  readonly assetWindow: Window;
  readonly investmentWindow: Window;
  readonly countedAssets: number;
  readonly maxAssets: number;
  readonly settlementStarted: boolean;
}

export interface AllowedAction {
  readonly action: VaultAction;
  readonly allowed: boolean;
  readonly reason?: ErrorCode;
}

/** Every action on a vault, whether it is open at `now`, and otherwise the error code of the refusal. */
export function allowedVaultActions(snapshot: VaultActionSnapshot, now: Instant): readonly AllowedAction[] {
  return vaultActions.map((action) => {
    const reason = vaultActionRefusal(action, snapshot, now);
    return reason ? { action, allowed: false, reason } : { action, allowed: true };
  });
}

/** The error code that refuses an action on a vault at `now`; undefined when the action is open. */
export function vaultActionRefusal(
  action: VaultAction,
  snapshot: VaultActionSnapshot,
  now: Instant,
): ErrorCode | undefined {
  if (snapshot.status === 'TERMINATED' || snapshot.terminationReason) return 'VAULT_ALREADY_ENDED';
  switch (action) {
    case 'addAsset':
      return windowRefusal(snapshot.assetWindow, now) ?? roomRefusal(snapshot);
    case 'removeAsset':
      return windowRefusal(snapshot.assetWindow, now);
    case 'invest':
      return windowRefusal(snapshot.investmentWindow, now);
    case 'stake':
      return snapshot.status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
    case 'cancel':
      return cancelRefusal(snapshot);
  }
}

function roomRefusal(snapshot: VaultActionSnapshot): ErrorCode | undefined {
  return snapshot.countedAssets >= snapshot.maxAssets ? 'MAX_ASSETS_REACHED' : undefined;
}

function cancelRefusal(snapshot: VaultActionSnapshot): ErrorCode | undefined {
  return snapshot.status === 'LOCKED' || snapshot.settlementStarted ? 'VAULT_NOT_CANCELLABLE' : undefined;
}
