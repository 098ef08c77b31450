import { type Caller, mayActForAnyWallet, isPermitted } from '../access/rules.ts';
import type { Deadline } from '../cardano/ledger/http.ts';
import type { ServiceContext } from '../context.ts';
import { requireNotPaused } from '../operations/require-not-paused.ts';
import type { PausedArea } from '../operations/rules.ts';
import type { Db } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { fieldError, ServiceError } from '../platform/errors.ts';
import { isoText } from '../platform/units/time.ts';
import { governanceRefusal, isRefusedWhileEnding } from '../proposals/rules/allowed-actions.ts';
import type { RequestedEffect } from '../proposals/rules/effects.ts';
import { type Vault, findVault } from './queries/vaults.ts';
import { hasDeposit, type ReaderScope } from './queries/viewed-vaults.ts';
import { getWindows, holdWindowOpen } from './queries/windows.ts';
import { mayRead, type Reader, type VaultAccess } from './rules/access.ts';
import { vaultStatuses, type VaultStatus } from './rules/vault.ts';
import { requireOpen, type Window, type WindowKind } from './rules/window.ts';

export interface OpenWindow {
  readonly vault: Vault;
  readonly window: Window;
}

/** What a deposit into each window belongs to. */
const areas = { asset: 'contribution', investment: 'investment' } as const satisfies Record<WindowKind, PausedArea>;

/** As `requireOpenWindow`, for a deposit; throws OPERATION_PAUSED before all else. */
export async function requireOpenForDeposits(
  context: TransactionContext,
  caller: Caller,
  vaultId: string,
  kind: WindowKind,
): Promise<OpenWindow> {
  await requireNotPaused(context.tx, areas[kind]);
  return requireOpenWindow(context, caller, vaultId, kind);
}

/**
 * The vault and its open window, which cannot close before the unit of work ends. Throws VAULT_NOT_FOUND, VAULT_ALREADY_ENDED
 * and the window's _NOT_OPEN or _CLOSED.
 */
export async function requireOpenWindow(
  context: TransactionContext,
  caller: Caller,
  vaultId: string,
  kind: WindowKind,
): Promise<OpenWindow> {
  const vault = await requireReadableVault(context.tx, caller, vaultId);
  requireVaultNotEnded(vault);
  return { vault, window: await holdWindowOpen(context, vaultId, kind) };
}

/** The vault, while its window is open for deposits. Throws as `requireOpenForDeposits`, without keeping the window from closing. */
export async function requireVaultWithOpenWindow(
  { db, readingTime }: ServiceContext,
  caller: Caller,
  vaultId: string,
  kind: WindowKind,
): Promise<Vault> {
  await requireNotPaused(db, areas[kind]);
  const vault = await requireReadableVault(db, caller, vaultId);
  requireVaultNotEnded(vault);
  requireOpen((await getWindows(db, vaultId))[kind], await readingTime());
  return vault;
}

export function requireVaultNotEnded({ status, failedBecause }: Vault): void {
  if (status === 'TERMINATED' || failedBecause !== null) throw new ServiceError('VAULT_ALREADY_ENDED', { status });
}

/** Throws the _CLOSED error of the window when too little time is left for a transaction to reach a block before its end. */
export function requireTimeToConfirm(
  { expiresAt }: Deadline,
  { kind, startsAt, endsAt }: Window,
  { now }: TransactionContext,
): void {
  if (now < expiresAt) return;
  const code = kind === 'asset' ? 'ASSET_WINDOW_CLOSED' : 'INVESTMENT_WINDOW_CLOSED';
  throw new ServiceError(code, { startsAt: isoText(startsAt), endsAt: isoText(endsAt) });
}

/** Throws VAULT_ALREADY_ENDED, and VAULT_NOT_LOCKED before the vault has settled. */
export function requireLockedVault(vault: Vault): void {
  const refusal = governanceRefusal(vault);
  if (refusal) throw new ServiceError(refusal, { status: vault.status });
}

/** As `requireLockedVault`, for a proposal; throws ONLY_SALES_WHILE_ENDING too. */
export function requireVaultProposing(vault: Vault, effect: RequestedEffect): void {
  requireLockedVault(vault);
  if (isRefusedWhileEnding(vault, effect))
    throw fieldError(
      'ONLY_SALES_WHILE_ENDING',
      'proposal_details.action_type',
      'While claims are open, only sales and returns of staked assets can be proposed.',
    );
}

/** The unit of the vault's fractional token. Throws before its mint is built. */
export function requireFtUnit({ id, ftUnit }: Pick<Vault, 'id' | 'ftUnit'>): string {
  if (ftUnit === null) throw new Error(`the token of vault ${id} is not minted yet`);
  return ftUnit;
}

/** The vault. Throws VAULT_NOT_FOUND also when the caller may not read it (design D8). */
export async function requireReadableVault(db: Db, caller: Caller, vaultId: string): Promise<Vault> {
  const vault = await findVault(db, vaultId);
  if (!vault || !(await isReadable(db, caller, vault))) throw new ServiceError('VAULT_NOT_FOUND');
  return vault;
}

/** Whether the vault exists and the caller may read it (design D8). */
export async function mayReadVault(db: Db, caller: Caller, vaultId: string): Promise<boolean> {
  const vault = await findVault(db, vaultId);
  return vault !== null && (await isReadable(db, caller, vault));
}

/** Whether the caller may read this vault (design D8). */
export async function isReadable(db: Db, caller: Caller, vault: Vault): Promise<boolean> {
  const access = accessOf(vault);
  const reader = readerOf(caller);
  if (mayRead(access, reader)) return true;
  if (reader.kind !== 'wallet') return false;
  return mayRead(access, { ...reader, hasDeposit: await hasDeposit(db, vault.id, reader.wallet) });
}

/** The attributes that conditional permissions on vaults compare. Empty when the vault is absent or the caller may not read it. */
export async function vaultAttributes(
  { vaultId }: { vaultId: string },
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
) {
  const vault = await findVault(db, vaultId);
  return vault && (await isReadable(db, caller, vault)) ? { status: vault.status } : {};
}

/**
 * The attributes that conditional permissions on a resource in a vault compare. A resource that is absent or that the caller may
 * not read counts as the caller's own: the permission check then passes and the operation itself returns 404.
 */
export async function ownershipAttributes(
  db: Db,
  caller: Caller,
  vaultId: string | undefined,
  owners: readonly (string | undefined)[],
): Promise<{ own: boolean }> {
  if (vaultId === undefined || owners.includes(caller.wallet ?? '')) return { own: true };
  return { own: !(await mayReadVault(db, caller, vaultId)) };
}

/** The attributes that conditional permissions to change a vault compare: its admin is its owner (design D47). */
export async function vaultOwnershipAttributes(
  { vaultId }: { vaultId: string },
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
): Promise<{ own: boolean }> {
  return ownershipAttributes(db, caller, vaultId, [(await findVault(db, vaultId))?.createdBy]);
}

/**
 * Throws INSUFFICIENT_PERMISSIONS unless the caller is the vault's admin or may change any vault. Returns the admin when an API key
 * acts for them, for the audit log.
 */
export function requireMayChange(caller: Caller, { createdBy }: Pick<Vault, 'createdBy'>): string | undefined {
  if (caller.wallet === createdBy) return undefined;
  if (isPermitted(caller.permissions, { resource: 'vault', action: 'UPDATE' })) return createdBy;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    required: `session of ${createdBy}, or permission vault:UPDATE`,
  });
}

/** The statuses in which the caller may read vaults. */
export function readableStatuses({ permissions }: Caller): VaultStatus[] {
  return vaultStatuses.filter((status) => isPermitted(permissions, { resource: 'vault', action: 'READ' }, { status }));
}

/** The vaults that a list may show to the caller (design D8). */
export function readerScope(caller: Caller): ReaderScope {
  if (mayActForAnyWallet(caller)) return 'everyone';
  return caller.wallet === null ? 'public' : { wallet: caller.wallet };
}

/** The attributes of a vault that decide who may read it, contribute and invest. */
export function accessOf({ terms, createdBy }: Vault): VaultAccess {
  const { typeRules, contributorWhitelist, investorWhitelist, investorListEnabled } = terms;
  return { typeRules, contributorWhitelist, investorWhitelist, investorListEnabled, createdBy };
}

/** `hasDeposit` is false here, because finding out takes a query. */
function readerOf(caller: Caller): Reader {
  if (mayActForAnyWallet(caller)) return { kind: 'admin_key' };
  const { wallet } = caller;
  return wallet === null ? { kind: 'other_key' } : { kind: 'wallet', wallet, hasDeposit: false };
}
