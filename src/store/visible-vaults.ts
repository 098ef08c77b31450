import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

/** Which vaults a reader may see: all, a wallet's own and the public ones, or only the public ones (design D8). */
export type ReaderScope = 'everyone' | { readonly wallet: string } | 'public';

/** The name of a vault's type. */
export const typeName = sql<string>`coalesce(custom_type, type)`;

/** Whether a vault has a type of this name, as a condition; true when none is named. */
export function hasType(name: string | undefined) {
  return name === undefined ? sql<boolean>`true` : sql<boolean>`${typeName} = ${name}`;
}

/** The same rule as `mayRead` of the domain, as a condition over rows that stands beside others. */
export function visibleTo(scope: ReaderScope) {
  if (scope === 'everyone') return sql<boolean>`true`;
  if (scope === 'public') return sql<boolean>`type <> 'PRIVATE'`;
  const { wallet } = scope;
  return sql<boolean>`(type <> 'PRIVATE' or created_by = ${wallet}
    or ${wallet} = any(contributor_whitelist) or ${wallet} = any(investor_whitelist)
    or exists (select from assets where assets.vault_id = vaults.id and added_by = ${wallet})
    or exists (select from investments where investments.vault_id = vaults.id and wallet = ${wallet})
    or exists (select from stakes where stakes.vault_id = vaults.id and wallet = ${wallet})
    or exists (select from claims where claims.vault_id = vaults.id and wallet = ${wallet}))`;
}

/** Whether there is a vault with this id, or with the id in this column, that the reader may see, as a condition. */
export function isVaultVisible(id: string | RawBuilder<string>, scope: ReaderScope) {
  return sql<boolean>`exists (select from vaults where vaults.id = ${id} and vaults.deleted_at is null and ${visibleTo(scope)})`;
}

/** Whether the wallet has ever contributed an asset to the vault, invested, staked or claimed. */
export async function hasDeposit(db: Db, vaultId: string, wallet: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select
    exists (select from assets where vault_id = ${vaultId} and added_by = ${wallet})
    or exists (select from investments where vault_id = ${vaultId} and wallet = ${wallet})
    or exists (select from stakes where vault_id = ${vaultId} and wallet = ${wallet})
    or exists (select from claims where vault_id = ${vaultId} and wallet = ${wallet}) as found`.execute(db);
  return rows[0]?.found ?? false;
}
