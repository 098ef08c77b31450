import { sql, type RawBuilder } from 'kysely';
import type { PausedArea } from '../../operations/rules.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/stored-json.ts';
import { givenFields, type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import {
  readViewedTermination,
  type ViewedTermination,
  viewedTermination,
  type ViewedTerminationJson,
  readViewedReturns,
  type ViewedReturns,
  viewedReturns,
  type ViewedReturnsJson,
} from '../../termination/queries/terminations.ts';
import { readVault, type Vault } from './vaults.ts';
import type { VaultWindows } from './windows.ts';
import { type Hold, type VaultStatus, vaultStatuses } from '../rules/vault.ts';
import type { WindowKind } from '../rules/window.ts';

/** Whose stakes and assets a reading looks up, and when. */
export interface VaultReader {
  readonly scope: ReaderScope;
  /** Null for a key alone. */
  readonly wallet: string | null;
  readonly now: Instant;
}

/** A vault with what the state that its reader sees depends on. */
export interface ViewedVault<Viewed extends Vault = Vault> {
  readonly vault: Viewed;
  readonly windows: VaultWindows;
  readonly holds: readonly Hold[];
  readonly settlementPlannedAt: Instant | null;
  /** What the operator has paused on the platform. */
  readonly paused: readonly PausedArea[];
  /** Base units that the reader's wallet has staked in the vault. */
  readonly stakedPower: BaseUnits;
  /** Whether an asset of the reader's wallet is in the vault, or on its way to it. */
  readonly hasAssets: boolean;
  /** Null until the end of the settled vault is certain. */
  readonly termination: ViewedTermination | null;
  /** Null for a vault that was settled, or continues. */
  readonly returns: ViewedReturns | null;
}

/** The columns of `viewColumns` as the driver returns them. */
interface ViewRow {
  readonly windows: Readonly<Record<WindowKind, JsonWindow>>;
  readonly holds: readonly { readonly reason: Hold['reason']; readonly since: JsonTime }[];
  readonly planned_at: Date | null;
  readonly paused: readonly PausedArea[];
  readonly staked_power: string | null;
  readonly has_assets: boolean;
  readonly viewed_termination: ViewedTerminationJson | null;
  readonly viewed_returns: ViewedReturnsJson | null;
}

type JsonWindow = Omit<VaultWindows['asset'], 'startsAt' | 'endsAt'> &
  Readonly<Record<'startsAt' | 'endsAt', JsonTime>>;

/** What a view needs besides the row, as columns of a statement that reads vaults: one statement then reads it all. */
function viewColumns({ wallet, now }: Pick<VaultReader, 'wallet' | 'now'>) {
  return [
    sql<ViewRow['windows']>`(select json_object_agg(kind, json_build_object('kind', kind, 'startsAt', starts_at,
      'endsAt', ends_at, 'status', windows.status)) from windows where vault_id = vaults.id)`.as('windows'),
    sql<
      ViewRow['holds']
    >`(select coalesce(json_agg(json_build_object('reason', reason, 'since', since) order by since), '[]')
      from holds where vault_id = vaults.id)`.as('holds'),
    sql<Date | null>`(select planned_at from settlements where vault_id = vaults.id)`.as('planned_at'),
    sql<PausedArea[]>`array(select area from pauses order by area)`.as('paused'),
    sql<string | null>`(select sum(voting_power) from stakes where vault_id = vaults.id and wallet = ${wallet}
      and voting_power > 0 and owner_alone_from > ${new Date(now)})`.as('staked_power'),
    sql<boolean>`exists (select from assets where vault_id = vaults.id and added_by = ${wallet}
      and assets.status in ('PENDING', 'LOCKED'))`.as('has_assets'),
    viewedTermination.as('viewed_termination'),
    viewedReturns.as('viewed_returns'),
  ] as const;
}

/** Reads a row that has the columns of `viewColumns`. */
export function readView<Viewed extends Vault>(vault: Viewed, row: ViewRow): ViewedVault<Viewed> {
  return {
    vault,
    windows: { asset: readWindow(row.windows.asset), investment: readWindow(row.windows.investment) },
    holds: row.holds.map(({ reason, since }) => ({ reason, since: jsonInstant(since) })),
    settlementPlannedAt: row.planned_at === null ? null : instant(row.planned_at),
    paused: row.paused,
    stakedPower: baseUnits(BigInt(row.staked_power ?? 0)),
    hasAssets: row.has_assets,
    termination: readViewedTermination(row.viewed_termination),
    returns: readViewedReturns(row.viewed_returns),
  };
}

function readWindow(window: JsonWindow): VaultWindows['asset'] {
  return { ...window, startsAt: jsonInstant(window.startsAt), endsAt: jsonInstant(window.endsAt) };
}

/** A vault that the reader may see; null for one that is deleted or hidden, too. */
export async function findViewedVault(
  db: Db | Transaction,
  vaultId: string,
  reader: VaultReader,
): Promise<ViewedVault | null> {
  const row = await visibleVault(db, vaultId, reader).executeTakeFirst();
  return row ? readView(readVault(row), row) : null;
}

/** The statement that reads one vault with its view. */
export function visibleVault(db: Db | Transaction, vaultId: string, reader: VaultReader) {
  return db
    .selectFrom('vaults')
    .selectAll()
    .select(viewColumns(reader))
    .where('id', '=', vaultId)
    .where('deleted_at', 'is', null)
    .where(visibleTo(reader.scope));
}

interface VaultFilter {
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

/** Which vaults a reader may see: all, a wallet's own and the public ones, or only the public ones (design D8). */
export type ReaderScope = 'everyone' | { readonly wallet: string } | 'public';

/** The name of a vault's type. */
export const typeName = sql<string>`coalesce(custom_type, type)`;

/** Whether a vault has a type of this name, as a condition; true when none is named. */
export function hasType(name: string | undefined) {
  return name === undefined ? sql<boolean>`true` : sql<boolean>`${typeName} = ${name}`;
}

/** The same rule as `mayRead` of the domain, as a condition over rows, to combine with others. */
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
function depositVaults(wallet: string): RawBuilder<unknown> {
  const selects = Object.entries(DEPOSITS).map(
    ([table, { column, counts }]) =>
      sql`select vault_id from ${sql.table(table)} where ${sql.ref(column)} = ${wallet} and ${counts}`,
  );
  return sql.join(selects, sql` union all `);
}

/**
 * The rule of `visibleTo` in conditions of which a vault meets at most one: an index serves each, while one condition for all reads past those that
 * are hidden.
 */
function visibleParts(scope: ReaderScope): readonly RawBuilder<boolean>[] {
  if (scope === 'everyone') return [sql<boolean>`true`];
  const shown = sql<boolean>`type <> 'PRIVATE'`;
  if (scope === 'public') return [shown];
  return [shown, sql<boolean>`type = 'PRIVATE' and id = any(array(${ownVaults(scope)}))`];
}

/** The ids of the vaults that a wallet may see whatever their type, some more than once. */
export function ownVaults({ wallet }: { readonly wallet: string }): RawBuilder<unknown> {
  return sql`select id from vaults where created_by = ${wallet}
    union all select id from vaults where type = 'PRIVATE' and contributor_whitelist @> array[${wallet}::text]
    union all select id from vaults where type = 'PRIVATE' and investor_whitelist @> array[${wallet}::text]
    union all ${depositVaults(wallet)}`;
}
