import type { Caller } from '../access/rules/caller.ts';
import { programmedEnd } from '../termination/rules/programmed-end.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import { reachesShare } from '../platform/units/percentage.ts';
import type { Instant } from '../platform/units/instant.ts';
import { type AllowedAction, allowedVaultActions, type VaultActionSnapshot } from './rules/allowed-actions.ts';
import { type PhaseView, vaultPhaseAt, type VaultPhaseSnapshot } from './rules/phase.ts';
import { governingSupply } from './rules/governing-supply.ts';
import type { Vault } from './queries/vaults.ts';
import type { VaultReader, ViewedVault } from './queries/viewed-vaults.ts';
import type { VaultWindows } from './queries/windows.ts';
import { accessOf, readerScope } from './vault-access.ts';

/** A vault with its phase at `now`, and what its reader may do. */
export type VaultView<Viewed extends Vault = Vault> = PhaseView &
  Pick<ViewedVault<Viewed>, 'vault' | 'windows' | 'holds' | 'termination' | 'returns'> & {
    readonly allowedActions: readonly AllowedAction[];
    readonly now: Instant;
  };

/** Who reads, and when. */
export interface Reading {
  readonly caller: Caller;
  readonly now: Instant;
}

/** What the statements that read vaults have to know about a reading. */
export function vaultReader({ caller, now }: Reading): VaultReader {
  return { scope: readerScope(caller), wallet: caller.wallet, now };
}

/** The view of a vault for a caller. */
export function viewVault<Viewed extends Vault>(
  {
    vault,
    windows,
    holds,
    settlementPlannedAt,
    paused,
    stakedPower,
    hasAssets,
    termination,
    returns,
  }: ViewedVault<Viewed>,
  { caller, now }: Reading,
): VaultView<Viewed> {
  const actor = {
    caller,
    access: accessOf(vault),
    hasAssets,
    mayPropose: mayPropose(vault, stakedPower, termination?.pot?.circulating ?? null),
    paused,
  };
  const claimDeadline = termination?.claimDeadline ?? null;
  const snapshot = { ...phaseSnapshot(vault, windows, settlementPlannedAt), claimDeadline };
  const phase = vaultPhaseAt(snapshot, now);
  return {
    vault,
    windows,
    holds,
    termination,
    returns,
    allowedActions: allowedVaultActions(
      { ...actionSnapshot(vault, windows, settlementPlannedAt !== null), claimable: termination },
      actor,
      now,
    ),
    now,
    ...phase,
  };
}

/** Whether stakes of so many base units reach the creation threshold of the vault's proposals. */
function mayPropose(vault: Vault, power: BaseUnits, circulating: BaseUnits | null): boolean {
  return reachesShare(power, vault.terms.governance.creation, governingSupply(vault, circulating));
}

/** The state of a vault that decides which actions besides claims are open. */
export function actionSnapshot(
  vault: Vault,
  { asset, investment }: VaultWindows,
  settlementStarted: boolean,
): Omit<VaultActionSnapshot, 'claimable'> {
  return {
    status: vault.status,
    terminationReason: vault.terminationReason ?? vault.failedBecause,
    claimsOpen: vault.claimsOpen,
    rotationId: vault.rotationId,
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
): Omit<VaultPhaseSnapshot, 'claimDeadline'> {
  return {
    status: vault.status,
    failedBecause: vault.failedBecause,
    assetWindow: asset,
    investmentWindow: investment,
    settlementStarted: settlementPlannedAt !== null,
    settlesBy: vault.settlesBy,
    programmedEnd: programmedEnd(vault.terms, vault.lockedAt),
  };
}
