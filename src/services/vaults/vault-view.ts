import { type Instant, secondsAfter } from '../../domain/units/instant.ts';
import {
  type AllowedAction,
  allowedVaultActions,
  type VaultActionSnapshot,
} from '../../domain/vault/allowed-actions.ts';
import type { Hold } from '../../domain/vault/hold.ts';
import { type PhaseView, vaultPhaseAt, type VaultPhaseSnapshot } from '../../domain/vault/phase.ts';
import type { Db } from '../../store/database.ts';
import { holdsByVault } from '../../store/holds.ts';
import { settlementPlannedAt } from '../../store/settlements.ts';
import type { Vault } from '../../store/vaults.ts';
import { type VaultWindows, windowsByVault } from '../../store/windows.ts';

/** A vault with its windows, holds, phase and allowed actions at `now`. */
export interface VaultView extends PhaseView {
  readonly vault: Vault;
  readonly windows: VaultWindows;
  readonly holds: readonly Hold[];
  readonly settlementPlannedAt: Instant | null;
  readonly allowedActions: readonly AllowedAction[];
  readonly now: Instant;
}

/** The view of one vault at `now`. */
export async function viewVault(db: Db, vault: Vault, now: Instant): Promise<VaultView> {
  const [view] = await viewVaults(db, [vault], now);
  if (!view) throw new Error(`vault ${vault.id} has no view`);
  return view;
}

/** The views of several vaults at `now`, in the same order. */
export async function viewVaults(db: Db, vaults: readonly Vault[], now: Instant): Promise<VaultView[]> {
  const ids = vaults.map(({ id }) => id);
  const [windowsById, holdsById, plannedAtById] = await Promise.all([
    windowsByVault(db, ids),
    holdsByVault(db, ids),
    settlementPlannedAt(db, ids),
  ]);
  return vaults.map((vault) => {
    const windows = windowsById.get(vault.id);
    if (!windows) throw new Error(`vault ${vault.id} has no windows`);
    const plannedAt = plannedAtById.get(vault.id) ?? null;
    return {
      vault,
      windows,
      holds: holdsById.get(vault.id) ?? [],
      settlementPlannedAt: plannedAt,
      allowedActions: allowedVaultActions(actionSnapshot(vault, windows, plannedAt !== null), now),
      now,
      ...vaultPhaseAt(phaseSnapshot(vault, windows, plannedAt), now),
    };
  });
}

/** The state of a vault that decides which actions are open. */
export function actionSnapshot(
  vault: Vault,
  { asset, investment }: VaultWindows,
  settlementStarted: boolean,
): VaultActionSnapshot {
  return {
    status: vault.status,
    terminationReason: vault.terminationReason ?? vault.failedBecause,
    assetWindow: asset,
    investmentWindow: investment,
    countedAssets: vault.countedAssets,
    maxAssets: vault.terms.maxAssets,
    settlementStarted,
  };
}

function phaseSnapshot(
  vault: Vault,
  { asset, investment }: VaultWindows,
  settlementPlannedAt: Instant | null,
): VaultPhaseSnapshot {
  const { termination } = vault.terms;
  const hasProgrammedEnd = termination.type === 'PROGRAMMED' && vault.lockedAt !== null;
  return {
    status: vault.status,
    failedBecause: vault.failedBecause,
    assetWindow: asset,
    investmentWindow: investment,
    settlementStarted: settlementPlannedAt !== null,
    settlesBy: vault.settlesBy,
    programmedEnd: hasProgrammedEnd ? secondsAfter(vault.lockedAt, termination.duration) : null,
  };
}
