import { sql } from 'kysely';
import { type VaultStatus, vaultStatuses } from '../rules/vault.ts';
import type { Db } from '../../platform/database/database.ts';
import { givenFields, type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import { readVault, type Vault } from './vaults.ts';
import { readView, viewColumns, type ViewedVault, type VaultReader } from './viewed-vaults.ts';
import { visibleParts } from './visible-parts.ts';
import { hasType } from './visible-vaults.ts';

export interface VaultFilter {
  readonly statuses: readonly VaultStatus[];
  /** Name of a vault type. */
  readonly type?: string | undefined;
  readonly createdBy?: string | undefined;
}

const columns = { createdAt: 'created_at', updatedAt: 'updated_at', name: 'name', status: 'status' } as const;

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
  'changed_fdp',
  'metadata',
  'vault_key_hash',
  'settlement_key_hash',
  'policy_key_hash',
  'custody',
  'contract_address',
  'former_custodies',
  'settlement_address',
  'policy_id',
  'ft_unit',
  'settles_by',
  'settles_by_slot',
  'creation_confirmed_at',
  'cancel_requested_at',
  'failed_because',
  'termination_reason',
  'claims_open',
  'rotation_id',
  'is_rotating',
  'low_valuations',
  'valuation_counted_at',
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
  reader: VaultReader,
  page: Page<keyof typeof columns>,
): Promise<{ vaults: ViewedVault<ListedVault>[]; count: PageCount }> {
  if (filter.statuses.length === 0) return { vaults: [], count: { total: 0, next: null } };
  const isAnyStatus = filter.statuses.length === vaultStatuses.length;
  const matching = db
    .selectFrom('vaults')
    .$if(!isAnyStatus, (query) => query.where('status', 'in', filter.statuses))
    .where('deleted_at', 'is', null)
    .where((eb) => eb.and(givenFields({ created_by: filter.createdBy })))
    .where(hasType(filter.type));
  const listed = matching
    .select(listedColumns)
    .select([
      sql<null>`null`.as('custom_prices'),
      sql<string[]>`asset_whitelist[:1]`.as('asset_whitelist'),
      sql<string[]>`${shortened('contributor_whitelist', reader.wallet)}`.as('contributor_whitelist'),
      sql<string[]>`${shortened('investor_whitelist', reader.wallet)}`.as('investor_whitelist'),
      sql<number>`cardinality(asset_whitelist)`.as('assets'),
      sql<number>`cardinality(contributor_whitelist)`.as('contributors'),
      sql<number>`cardinality(investor_whitelist)`.as('investors'),
    ])
    .select(viewColumns(reader));
  const tieBreak = page.sort.field === 'status' ? ['created_at', 'id'] : ['id'];
  const order = { columns, tieBreak, tieBreakFollowsSort: true, parts: visibleParts(reader.scope) };
  const { rows, count } = await readPage(db, listed, matching, order, page);
  const vaults = rows.map(({ assets, contributors, investors, ...row }) =>
    readView({ ...readVault(row), whitelistCounts: { assets, contributors, investors } }, row),
  );
  return { vaults, count };
}

/** The first entry of a whitelist, and this wallet if it is on the list. */
function shortened(list: string, wallet: string | null) {
  const column = sql.ref(list);
  return sql<
    string[]
  >`${column}[:1] || case when ${wallet}::text = any(${column}) then array[${wallet}::text] else '{}' end`;
}
