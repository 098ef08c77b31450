import type { Caller } from '../../domain/identity/caller.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { reachesShare } from '../../domain/units/percentage.ts';
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
import { activePauses } from '../../store/pauses.ts';
import { vaultsWithAssetsOf } from '../../store/vault-assets.ts';
import type { Vault } from '../../store/vaults.ts';
import { stakedPowerIn } from '../../store/voting-powers.ts';
import { type VaultWindows, windowsByVault } from '../../store/windows.ts';
import { accessOf } from './vault-access.ts';

/** A vault with its windows, holds and phase at `now`, and what its reader may do. */
export interface VaultView<Viewed extends Vault = Vault> extends PhaseView {
  readonly vault: Viewed;
  readonly windows: VaultWindows;
  readonly holds: readonly Hold[];
  readonly settlementPlannedAt: Instant | null;
  readonly allowedActions: readonly AllowedAction[];
  readonly now: Instant;
}

/** Who reads, and when. */
interface Reading {
  readonly caller: Caller;
  readonly now: Instant;
}

/** The view of one vault for a caller. */
export async function viewVault(db: Db, vault: Vault, reading: Reading): Promise<VaultView> {
  const [view] = await viewVaults(db, [vault], reading);
  if (!view) throw new Error(`vault ${vault.id} has no view`);
  return view;
}

/** The views of several vaults for a caller, in the same order. */
export async function viewVaults<Viewed extends Vault>(
  db: Db,
  vaults: readonly Viewed[],
  { caller, now }: Reading,
): Promise<VaultView<Viewed>[]> {
  const ids = vaults.map(({ id }) => id);
  const locked = vaults.filter(({ status }) => status === 'LOCKED').map(({ id }) => id);
  const [windowsById, holdsById, plannedAtById, pauses, powers, withAssets] = await Promise.all([
    windowsByVault(db, ids),
    holdsByVault(db, ids),
    settlementPlannedAt(db, ids),
    activePauses(db),
    caller.wallet === null || locked.length === 0 ? null : stakedPowerIn(db, locked, caller.wallet, now),
    caller.wallet === null || locked.length === ids.length ? null : vaultsWithAssetsOf(db, ids, caller.wallet),
  ]);
  const paused = pauses.map(({ area }) => area);
  return vaults.map((vault) => {
    const windows = windowsById.get(vault.id);
    if (!windows) throw new Error(`vault ${vault.id} has no windows`);
    const plannedAt = plannedAtById.get(vault.id) ?? null;
    const actor = {
      caller,
      access: accessOf(vault),
      hasAssets: withAssets?.has(vault.id) === true,
      mayPropose: mayPropose(vault, powers?.get(vault.id)),
      paused,
    };
    return {
      vault,
      windows,
      holds: holdsById.get(vault.id) ?? [],
      settlementPlannedAt: plannedAt,
      allowedActions: allowedVaultActions(actionSnapshot(vault, windows, plannedAt !== null), actor, now),
      now,
      ...vaultPhaseAt(phaseSnapshot(vault, windows, plannedAt), now),
    };
  });
}

/** Whether stakes of so many base units reach the creation threshold of the vault's proposals. */
function mayPropose({ terms: { ftSupply, governance } }: Vault, power: BaseUnits = baseUnits(0n)): boolean {
  return reachesShare(power, governance.creation, ftSupply);
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
