import { sql } from 'kysely';
import type { VaultStatus, VaultType } from '../domain/vault/vault.ts';
import type { Db } from './database.ts';
import { givenFields, type Page, readPage, type PageCount } from './page.ts';
import { readVault, type Vault } from './vaults.ts';

/** Which vaults a reader may see: all, a wallet's own and the public ones, or only the public ones (design D8). */
export type ReaderScope = 'everyone' | { readonly wallet: string } | 'public';

export interface VaultFilter {
  readonly statuses: readonly VaultStatus[];
  readonly type?: VaultType | undefined;
  readonly createdBy?: string | undefined;
  readonly readerScope: ReaderScope;
}

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', name: 'name', status: 'status' } as const;

/** A page of vaults, and the total. */
export async function listVaults(
  db: Db,
  filter: VaultFilter,
  page: Page<keyof typeof columns>,
): Promise<{ vaults: Vault[]; count: PageCount }> {
  if (filter.statuses.length === 0) return { vaults: [], count: { total: 0, next: null } };
  const matching = db
    .selectFrom('vaults')
    .where('status', 'in', filter.statuses)
    .where((eb) => eb.and(givenFields({ type: filter.type, created_by: filter.createdBy })))
    .where(visibleTo(filter.readerScope));
  const { rows, count } = await readPage(matching.selectAll(), matching, { columns, tieBreak: ['id'] }, page);
  return { vaults: rows.map(readVault), count };
}

/** The same rule as `mayRead` of the domain, as a condition over rows. */
export function visibleTo(scope: ReaderScope) {
  if (scope === 'everyone') return sql<boolean>`true`;
  if (scope === 'public') return sql<boolean>`type <> 'PRIVATE'`;
  const { wallet } = scope;
  return sql<boolean>`type <> 'PRIVATE' or created_by = ${wallet}
    or ${wallet} = any(contributor_whitelist) or ${wallet} = any(investor_whitelist)
    or exists (select from assets where assets.vault_id = vaults.id and added_by = ${wallet})
    or exists (select from investments where investments.vault_id = vaults.id and wallet = ${wallet})
    or exists (select from stakes where stakes.vault_id = vaults.id and wallet = ${wallet})`;
}

/** Whether the wallet has ever contributed an asset, invested or staked in the vault. */
export async function hasDeposit(db: Db, vaultId: string, wallet: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select
    exists (select from assets where vault_id = ${vaultId} and added_by = ${wallet})
    or exists (select from investments where vault_id = ${vaultId} and wallet = ${wallet})
    or exists (select from stakes where vault_id = ${vaultId} and wallet = ${wallet}) as found`.execute(db);
  return rows[0]?.found ?? false;
}
