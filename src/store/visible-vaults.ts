import { sql } from 'kysely';
import type { VaultStatus } from '../domain/vault/vault.ts';
import type { Db } from './database.ts';
import { givenFields, type Page, readPage, type PageCount } from './page.ts';
import { readVault, type Vault } from './vaults.ts';

/** Which vaults a reader may see: all, a wallet's own and the public ones, or only the public ones (design D8). */
export type ReaderScope = 'everyone' | { readonly wallet: string } | 'public';

export interface VaultFilter {
  readonly statuses: readonly VaultStatus[];
  /** Name of a vault type. */
  readonly type?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly readerScope: ReaderScope;
}

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', name: 'name', status: 'status' } as const;

/** The name of a vault's type. */
export const typeName = sql<string>`coalesce(custom_type, type)`;

/** Whether a vault has a type of this name, as a condition; true when none is named. */
export function hasType(name: string | undefined) {
  return name === undefined ? sql<boolean>`true` : sql<boolean>`${typeName} = ${name}`;
}

/** All columns but the whitelists and custom prices, which may be long. */
const listedColumns = [
  'id',
  'name',
  'type',
  'status',
  'created_by',
  'admin_email',
  'asset_types',
  'custom_type',
  'type_rules',
  'asset_type_rules',
  'investor_list_enabled',
  'valuation_type',
  'floor_price_percentage',
  'max_assets',
  'max_share',
  'reserve_percentage',
  'lp_percentage',
  'ft_percentage',
  'ft_supply',
  'ft_decimals',
  'governance',
  'termination',
  'metadata',
  'vault_key_hash',
  'policy_key_hash',
  'custody',
  'contract_address',
  'settlement_address',
  'policy_id',
  'ft_unit',
  'settles_by',
  'settles_by_slot',
  'creation_confirmed_at',
  'cancel_requested_at',
  'failed_because',
  'termination_reason',
  'locked_at',
  'terminated_at',
  'counted_assets',
  'published_valuation',
  'deleted_at',
  'erased_at',
  'created_at',
  'updated_at',
] as const;

/**
 * A vault in a list, without custom prices. Its whitelists hold only their first entries and the reader's own: enough to tell what the
 * reader may do.
 */
export interface ListedVault extends Vault {
  readonly whitelistCounts: { readonly assets: number; readonly contributors: number; readonly investors: number };
}

/** A page of vaults, and the total. */
export async function listVaults(
  db: Db,
  filter: VaultFilter,
  page: Page<keyof typeof columns>,
): Promise<{ vaults: ListedVault[]; count: PageCount }> {
  if (filter.statuses.length === 0) return { vaults: [], count: { total: 0, next: null } };
  const matching = db
    .selectFrom('vaults')
    .where('status', 'in', filter.statuses)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.and(givenFields({ created_by: filter.createdBy })))
    .where(hasType(filter.type))
    .where(visibleTo(filter.readerScope));
  const { readerScope: scope } = filter;
  const wallet = typeof scope === 'object' ? scope.wallet : null;
  const listed = matching
    .select(listedColumns)
    .select([
      sql<null>`null`.as('custom_prices'),
      sql<string[]>`asset_whitelist[:1]`.as('asset_whitelist'),
      sql<string[]>`${shortened('contributor_whitelist', wallet)}`.as('contributor_whitelist'),
      sql<string[]>`${shortened('investor_whitelist', wallet)}`.as('investor_whitelist'),
      sql<number>`cardinality(asset_whitelist)`.as('assets'),
      sql<number>`cardinality(contributor_whitelist)`.as('contributors'),
      sql<number>`cardinality(investor_whitelist)`.as('investors'),
    ]);
  const { rows, count } = await readPage(listed, matching, { columns, tieBreak: ['id'] }, page);
  const vaults = rows.map(({ assets, contributors, investors, ...row }) => {
    return { ...readVault(row), whitelistCounts: { assets, contributors, investors } };
  });
  return { vaults, count };
}

/** The first entry of a whitelist, and this wallet if it is on the list. */
function shortened(list: string, wallet: string | null) {
  const column = sql.ref(list);
  return sql<
    string[]
  >`${column}[:1] || case when ${wallet}::text = any(${column}) then array[${wallet}::text] else '{}' end`;
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
    or exists (select from stakes where stakes.vault_id = vaults.id and wallet = ${wallet}))`;
}

/** Whether the wallet has ever contributed an asset, invested or staked in the vault. */
export async function hasDeposit(db: Db, vaultId: string, wallet: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select
    exists (select from assets where vault_id = ${vaultId} and added_by = ${wallet})
    or exists (select from investments where vault_id = ${vaultId} and wallet = ${wallet})
    or exists (select from stakes where vault_id = ${vaultId} and wallet = ${wallet}) as found`.execute(db);
  return rows[0]?.found ?? false;
}
