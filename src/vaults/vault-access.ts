import { type Caller, mayActForAnyWallet } from '../access/rules/caller.ts';
import { isPermitted } from '../access/rules/permission.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { mayRead, type Reader, type VaultAccess } from './rules/access.ts';
import { vaultStatuses, type VaultStatus } from './rules/vault.ts';
import type { Db } from '../platform/database/database.ts';
import { hasDeposit, type ReaderScope } from './queries/visible-vaults.ts';
import { findVault, type Vault } from './queries/vaults.ts';
import type { ServiceContext } from '../context.ts';

/** The vault. Throws VAULT_NOT_FOUND also when the caller may not read it (design D8). */
export async function requireReadableVault(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string,
): Promise<Vault> {
  const vault = await findVault(db, vaultId);
  if (!vault || !(await isReadable(db, caller, vault))) throw new ServiceError('VAULT_NOT_FOUND');
  return vault;
}

/** Whether the vault exists and the caller may read it (design D8). */
export async function mayReadVault(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string,
): Promise<boolean> {
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
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  vaultId: string | undefined,
  owners: readonly (string | undefined)[],
): Promise<{ own: boolean }> {
  if (vaultId === undefined || owners.includes(caller.wallet ?? '')) return { own: true };
  return { own: !(await mayReadVault({ db }, caller, vaultId)) };
}

/** The attributes that conditional permissions to change a vault compare: its admin is its owner (design D47). */
export async function vaultOwnershipAttributes(
  { vaultId }: { vaultId: string },
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
): Promise<{ own: boolean }> {
  return ownershipAttributes({ db }, caller, vaultId, [(await findVault(db, vaultId))?.createdBy]);
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
