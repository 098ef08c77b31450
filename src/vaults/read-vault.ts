import type { Encrypted } from '../platform/database/encrypted.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { findVaultRecord, type VaultRecord } from './queries/vault-records.ts';
import { findViewedVault } from './queries/viewed-vaults.ts';
import type { Vault } from './queries/vaults.ts';
import type { EncryptionContext, ServiceContext } from '../context.ts';
import { type Reading, vaultReader, type VaultView, viewVault } from './vault-view.ts';

/** A vault with its settlement plan and its transactions. */
export interface VaultDetail extends Pick<VaultRecord, 'settlement' | 'transactions' | 'tip'> {
  readonly view: VaultView;
  /** Only for the role ADMIN; null when the creator gave none. */
  readonly adminEmail?: string | null;
}

/** A vault makes hundreds of transactions when it settles; all of those fit, and the newest others. */
export const MAX_TRANSACTIONS = 1000;

type Context = Pick<ServiceContext, 'db' | 'readingTime'> & EncryptionContext;

/** A vault that the caller may read, as it is now. Throws VAULT_NOT_FOUND. */
export async function readVault(context: Context, caller: Caller, vaultId: string): Promise<VaultDetail> {
  const detail = await findVaultDetail(context, caller, vaultId);
  if (!detail) throw new ServiceError('VAULT_NOT_FOUND');
  return detail;
}

/** As `readVault`; null for a vault that is absent or hidden from the caller. */
export async function findVaultDetail(context: Context, caller: Caller, vaultId: string): Promise<VaultDetail | null> {
  const reading = { caller, now: await context.readingTime() };
  const record = await findVaultRecord(context.db, vaultId, vaultReader(reading), MAX_TRANSACTIONS);
  if (!record) return null;
  const { settlement, transactions, tip, ...viewed } = record;
  return {
    view: viewVault(viewed, reading),
    settlement,
    transactions,
    tip,
    ...(caller.roles.includes('ADMIN') && { adminEmail: decryptAdminEmail(context, viewed.vault) }),
  };
}

/** The view of a vault that the caller may read. Throws VAULT_NOT_FOUND. */
export async function readVaultView(
  { db }: Pick<ServiceContext, 'db'>,
  vaultId: string,
  reading: Reading,
): Promise<VaultView> {
  const viewed = await findViewedVault(db, vaultId, vaultReader(reading));
  if (!viewed) throw new ServiceError('VAULT_NOT_FOUND');
  return viewVault(viewed, reading);
}

function decryptAdminEmail({ encryption }: EncryptionContext, { id, adminEmail }: Vault): string | null {
  if (adminEmail === null) return null;
  return encryption.decrypt(adminEmail as Encrypted, { table: 'vaults', column: 'admin_email', id });
}
