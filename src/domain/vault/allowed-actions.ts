import { type ErrorCode } from '../errors.ts';
import { type Instant } from '../units/instant.ts';
import { type TerminationReason, type VaultStatus } from './vault.ts';
import { type Window, windowRefusal } from './window.ts';

export const vaultActions = ['addAsset', 'removeAsset', 'invest', 'stake', 'cancel'] as const;
export type VaultAction = (typeof vaultActions)[number];

/** What decides whether an action on a vault is open to anyone at all; who may take it is a question of access. */
export interface VaultActionSnapshot {
  readonly status: VaultStatus;
  /** Set as soon as the vault is on its way to its end. */
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

/** Every action on a vault with whether it is open at `now`, and the code it would be refused with. */
export function allowedVaultActions(facts: VaultActionSnapshot, now: Instant): readonly AllowedAction[] {
  return vaultActions.map((action) => {
    const reason = vaultActionRefusal(action, facts, now);
    return reason ? { action, allowed: false, reason } : { action, allowed: true };
  });
}

/** The code an action on a vault is refused with at `now`; undefined when it is open. */
export function vaultActionRefusal(
  action: VaultAction,
  facts: VaultActionSnapshot,
  now: Instant,
): ErrorCode | undefined {
  if (facts.status === 'TERMINATED' || facts.terminationReason) return 'VAULT_ALREADY_ENDED';
  switch (action) {
    case 'addAsset':
      return windowRefusal(facts.assetWindow, now) ?? roomRefusal(facts);
    case 'removeAsset':
      return windowRefusal(facts.assetWindow, now);
    case 'invest':
      return windowRefusal(facts.investmentWindow, now);
    case 'stake':
      return facts.status === 'LOCKED' ? undefined : 'VAULT_NOT_LOCKED';
    case 'cancel':
      return cancelRefusal(facts);
  }
}

function roomRefusal(facts: VaultActionSnapshot): ErrorCode | undefined {
  return facts.countedAssets >= facts.maxAssets ? 'MAX_ASSETS_REACHED' : undefined;
}

function cancelRefusal(facts: VaultActionSnapshot): ErrorCode | undefined {
  return facts.status === 'LOCKED' || facts.settlementStarted ? 'VAULT_NOT_CANCELLABLE' : undefined;
}
