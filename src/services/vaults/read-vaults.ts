import { type Caller, mayActOnBehalf } from '../../domain/identity/caller.ts';
import {
  type AllowedAction,
  allowedVaultActions,
  type VaultActionSnapshot,
} from '../../domain/vault/allowed-actions.ts';
import { mayRead, type Reader } from '../../domain/vault/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Hold } from '../../domain/vault/hold.ts';
import { type Instant, secondsAfter } from '../../domain/units/instant.ts';
import { isPermitted } from '../../domain/identity/permission.ts';
import { type PhaseView, vaultPhaseAt } from '../../domain/vault/phase.ts';
import { vaultStatuses, type VaultStatus } from '../../domain/vault/vault.ts';
import type { Db } from '../../store/database.ts';
import { holdsOf } from '../../store/prices.ts';
import { hasDeposit, type ReaderScope, settlementPlannedAt } from '../../store/vault-listing.ts';
import { findVault, type Vault } from '../../store/vaults.ts';
import { type VaultWindows, windowsOf } from '../../store/windows.ts';
import type { ServiceContext } from '../context.ts';

/** A vault with everything a reader is told about it, as it is at `now`. */
export interface VaultView extends PhaseView {
  readonly vault: Vault;
  readonly windows: VaultWindows;
  readonly holds: readonly Hold[];
  readonly settlementPlannedAt: Instant | null;
  readonly allowedActions: readonly AllowedAction[];
  readonly now: Instant;
}

/** The vault, unless it is kept from this caller; raises VAULT_NOT_FOUND (design D8). */
export async function requireReadableVault(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string,
): Promise<Vault> {
  const vault = await findVault(db, vaultId);
  if (!vault || !(await isReadable(db, caller, vault))) throw new ServiceError('VAULT_NOT_FOUND');
  return vault;
}

/** Whether the caller is shown a vault (design D8); nobody is shown one that is not there. */
export async function mayReadVault(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string,
): Promise<boolean> {
  const vault = await findVault(db, vaultId);
  return vault !== null && (await isReadable(db, caller, vault));
}

/** As `mayReadVault`, for a vault that was just read. */
export async function isReadable(db: Db, caller: Caller, vault: Vault): Promise<boolean> {
  const access = accessOf(vault);
  const reader = readerOf(caller);
  if (mayRead(access, reader)) return true;
  if (reader.kind !== 'wallet') return false;
  return mayRead(access, { ...reader, hasDeposit: await hasDeposit(db, vault.id, reader.wallet) });
}

/** What conditional permissions on vaults speak about; a vault that is absent, or kept from the caller, has no facts. */
export async function vaultAttributes(
  { vaultId }: { vaultId: string },
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
) {
  const vault = await findVault(db, vaultId);
  return vault && (await isReadable(db, caller, vault)) ? { status: vault.status } : {};
}

/**
 * What conditional permissions on something in a vault speak about. What is absent, or kept from the caller, is nobody else's:
 * the operation then answers that it is not there.
 */
export async function ownershipAttributes(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string | undefined,
  owners: readonly (string | undefined)[],
): Promise<{ own: boolean }> {
  if (vaultId === undefined || owners.includes(caller.wallet ?? '')) return { own: true };
  return { own: !(await mayReadVault({ db }, caller, vaultId)) };
}

/** The statuses in which the caller may read vaults. */
export function readableStatuses({ permissions }: Caller): VaultStatus[] {
  return vaultStatuses.filter((status) => isPermitted(permissions, { resource: 'vault', action: 'READ' }, { status }));
}

export function readerScope(caller: Caller): ReaderScope {
  if (mayActOnBehalf(caller)) return 'everyone';
  return caller.wallet === null ? 'public' : { wallet: caller.wallet };
}

/** Adds windows, holds, phase and allowed actions to vaults. */
export async function viewVaults(db: Db, vaults: readonly Vault[], now: Instant): Promise<VaultView[]> {
  const ids = vaults.map(({ id }) => id);
  const [windows, holds, planned] = await Promise.all([
    windowsOf(db, ids),
    holdsOf(db, ids),
    settlementPlannedAt(db, ids),
  ]);
  return vaults.map((vault) => {
    const its = windows.get(vault.id);
    if (!its) throw new Error(`vault ${vault.id} has no windows`);
    const settlementPlannedAt = planned.get(vault.id) ?? null;
    const phase = vaultPhaseAt(phaseFacts(vault, its, settlementPlannedAt), now);
    const allowedActions = allowedVaultActions(actionSnapshot(vault, its, settlementPlannedAt !== null), now);
    return {
      vault,
      windows: its,
      holds: holds.get(vault.id) ?? [],
      settlementPlannedAt,
      allowedActions,
      now,
      ...phase,
    };
  });
}

export async function viewVault(db: Db, vault: Vault, now: Instant): Promise<VaultView> {
  const [view] = await viewVaults(db, [vault], now);
  if (!view) throw new Error(`vault ${vault.id} has no view`);
  return view;
}

/** What decides which actions are open. */
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

/** What decides who may enter. */
export function accessOf({ terms, createdBy }: Vault) {
  return { ...terms, createdBy };
}

function phaseFacts(vault: Vault, { asset, investment }: VaultWindows, planned: Instant | null) {
  const { termination } = vault.terms;
  const programmed = termination.type === 'PROGRAMMED' && vault.lockedAt !== null;
  return {
    status: vault.status,
    failedBecause: vault.failedBecause,
    assetWindow: asset,
    investmentWindow: investment,
    settlementStarted: planned !== null,
    settlesBy: vault.settlesBy,
    programmedEnd: programmed ? secondsAfter(vault.lockedAt, termination.duration) : null,
  };
}

/** Before anybody has looked for its deposits. */
function readerOf(caller: Caller): Reader {
  if (mayActOnBehalf(caller)) return { kind: 'admin_key' };
  const { wallet } = caller;
  return wallet === null ? { kind: 'other_key' } : { kind: 'wallet', wallet, hasDeposit: false };
}
