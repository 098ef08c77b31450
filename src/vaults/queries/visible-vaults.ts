import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';

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
    or ${isDepositor(sql.ref('vaults.id'), wallet)})`;
}

/** Whether there is a vault with this id, or with the id in this column, that the reader may see, as a condition. */
export function isVaultVisible(id: string | RawBuilder<string>, scope: ReaderScope) {
  return sql<boolean>`exists (select from vaults where vaults.id = ${id} and vaults.deleted_at is null and ${visibleTo(scope)})`;
}

/** Whether the wallet has ever contributed an asset to the vault, invested, staked or claimed, or is about to. */
export async function hasDeposit(db: Db, vaultId: string, wallet: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select ${isDepositor(vaultId, wallet)} as found`.execute(db);
  return rows[0]?.found ?? false;
}

/**
 * The tables of what a wallet gives to a vault or takes of it, each with the column that names the wallet and the rows that count: what never
 * arrived was no deposit. A request to stake or to claim comes from a holder of tokens, who may read the vault.
 */
const DEPOSITS = {
  assets: { column: 'added_by', counts: sql`coalesce(release_reason, '') not in ('expired', 'failed')` },
  investments: { column: 'wallet', counts: sql`investments.status <> 'EXPIRED'` },
  stakes: { column: 'wallet', counts: sql`true` },
  claims: { column: 'wallet', counts: sql`true` },
} as const;

function isDepositor(vaultId: string | RawBuilder<unknown>, wallet: string): RawBuilder<boolean> {
  const found = Object.entries(DEPOSITS).map(
    ([table, { column, counts }]) => sql`exists (select from ${sql.table(table)}
      where ${sql.ref(`${table}.vault_id`)} = ${vaultId} and ${sql.ref(column)} = ${wallet} and ${counts})`,
  );
  return sql`(${sql.join(found, sql` or `)})`;
}

/** The vaults of which a wallet is a depositor, as `hasDeposit` says, some more than once. */
export function depositVaults(wallet: string): RawBuilder<unknown> {
  const selects = Object.entries(DEPOSITS).map(
    ([table, { column, counts }]) =>
      sql`select vault_id from ${sql.table(table)} where ${sql.ref(column)} = ${wallet} and ${counts}`,
  );
  return sql.join(selects, sql` union all `);
}
