import { type ExpressionBuilder, sql } from 'kysely';
import { type Asset, readAsset } from './assets.ts';
import { type DepositGuard, guardColumns, readGuard } from './deposits.ts';
import type { AssetStatus, AssetClass } from '../rules/asset.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { basisPoints } from '../../platform/units/money.ts';
import { lastPriceColumns, readLastPrice } from '../../prices/queries/prices.ts';
import type { ValuationTerms } from '../../prices/rules/priced-asset.ts';
import type { Price } from '../../prices/rules.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/viewed-vaults.ts';

/** An asset with what its present price depends on. */
export interface ListedAsset {
  readonly asset: Asset;
  /** Of its vault. */
  readonly terms: ValuationTerms;
  readonly isVaultSettled: boolean;
  readonly guard: DepositGuard;
  /** The last known price of the market; null when none is known. */
  readonly lastPrice: Price | null;
}

export interface AssetFilter {
  readonly vaultId: string;
  readonly status?: AssetStatus | undefined;
  /** Name of an asset type. */
  readonly type?: string | undefined;
  readonly owner?: string | undefined;
}

const columns = { addedAt: 'assets.added_at', status: 'assets.status', type: 'assets.type' } as const;

/** A page of a vault's assets, and the total; assets that never arrived are left out. Null when the vault is hidden from the reader. */
export async function listAssets(
  db: Db,
  { vaultId, status, type, owner }: AssetFilter,
  scope: ReaderScope,
  page: Page<keyof typeof columns>,
): Promise<{ assets: ListedAsset[]; count: PageCount } | null> {
  const isWanted = (eb: ExpressionBuilder<Database, 'assets'>) =>
    eb.and([
      eb.and(givenFields({ 'assets.vault_id': vaultId, 'assets.status': status, added_by: owner })),
      sql<boolean>`coalesce(release_reason, '') not in ('expired', 'failed')`,
      ...(type === undefined ? [] : [sql<boolean>`coalesce(assets.custom_type, assets.type) = ${type}`]),
    ]);
  const matching = db.selectFrom('assets').where(isWanted);
  const rows = withPrices(db).where(isWanted);
  const collection = { columns, tieBreak: ['assets.added_at', 'assets.id'], visible: isVaultVisible(vaultId, scope) };
  const { rows: found, count, isVisible } = await readPage(db, rows, matching, collection, page);
  return isVisible ? { assets: found.map(listed), count } : null;
}

/** An asset of a vault. */
export async function findListedAsset(
  db: Db,
  { vaultId, assetId }: { readonly vaultId: string; readonly assetId: string },
): Promise<ListedAsset | null> {
  const wanted = withPrices(db).where('assets.id', '=', assetId);
  const row = await wanted.where('assets.vault_id', '=', vaultId).executeTakeFirst();
  return row ? listed(row) : null;
}

function withPrices(db: Db) {
  return db
    .selectFrom('assets')
    .innerJoin('vaults', 'vaults.id', 'assets.vault_id')
    .leftJoin('prices as latest', (join) =>
      join.onRef('latest.policy_id', '=', 'assets.policy_id').onRef('latest.asset_name', '=', 'assets.asset_name'),
    )
    .selectAll('assets')
    .select([
      'vaults.valuation_type',
      'vaults.floor_price_percentage',
      'vaults.locked_at as settled_at',
      ...guardColumns,
      ...lastPriceColumns,
    ]);
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof withPrices>['executeTakeFirstOrThrow']>>;

function listed(row: ListedRow): ListedAsset {
  return {
    asset: readAsset(row),
    terms: {
      valuationType: row.valuation_type,
      floorPricePercentage: basisPoints(BigInt(row.floor_price_percentage)),
    },
    isVaultSettled: row.settled_at !== null,
    guard: readGuard(row),
    lastPrice: readLastPrice(row),
  };
}

/**
 * The next asset classes with a price of the market, by policy and name, in a vault that has not ended. Each is one step in an index: a
 * `distinct` would read all assets for each page.
 */
export async function assetClassesInVaults(db: Db, after: AssetClass | null, limit: number): Promise<AssetClass[]> {
  const from = { policyId: after?.policyId ?? '', assetName: after?.assetName ?? '' };
  const { rows } = await sql<AssetClass>`
    with recursive classes as (
      select ${from.policyId}::text as policy_id, ${from.assetName}::text as asset_name
      union all
      select next.* from classes, lateral (
        select assets.policy_id, assets.asset_name from assets join vaults on vaults.id = assets.vault_id
        where (assets.policy_id, assets.asset_name) > (classes.policy_id, classes.asset_name)
          and assets.status in ('PENDING', 'LOCKED') and assets.valuation_method <> 'custom' and vaults.status <> 'TERMINATED'
        order by assets.policy_id, assets.asset_name limit 1
      ) as next
    )
    select policy_id as "policyId", asset_name as "assetName" from classes offset 1 limit ${limit}`.execute(db);
  return rows;
}

/** A vault's assets in some of the statuses, oldest first. */
export async function vaultAssets(
  db: Db | Transaction,
  vaultId: string,
  statuses: readonly AssetStatus[],
): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('status', 'in', statuses)
    .orderBy('added_at')
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** The assets that a transaction brings into a FIXED vault, whose price of the market the worker has not read. */
export async function assetsToCheck(db: Db, transactionId: string): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .innerJoin('vaults', 'vaults.id', 'assets.vault_id')
    .selectAll('assets')
    .where('assets.add_transaction_id', '=', transactionId)
    .where('assets.valuation_method', '!=', 'custom')
    .where('assets.price_seal', 'is', null)
    .where('vaults.valuation_type', '=', 'FIXED')
    .execute();
  return rows.map(readAsset);
}

/** The assets that are in a vault, or whose adding or returning transaction is not final. */
export async function unspentOrMissingAssets(db: Db | Transaction, vaultId: string): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where((query) =>
      query.or([
        query('status', '!=', 'RELEASED'),
        query.exists(
          query
            .selectFrom('chain_transactions as moved')
            .select('moved.id')
            .where((moved) =>
              moved.or([
                moved('moved.id', '=', moved.ref('add_transaction_id')),
                moved('moved.id', '=', moved.ref('remove_transaction_id')),
              ]),
            )
            .where('moved.state', 'not in', ['final', 'expired', 'failed']),
        ),
      ]),
    )
    .orderBy('added_at')
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** The assets locked in the vault, and those with these ids in any status. */
export async function assetsOfProposal(
  db: Db | Transaction,
  vaultId: string,
  assetIds: readonly string[],
): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where((query) =>
      query.or([query('status', '=', 'LOCKED'), ...(assetIds.length > 0 ? [query('id', '=', anyOf(assetIds))] : [])]),
    )
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** Assets of a vault by their ids. */
export async function assetsById(db: Db, vaultId: string, ids: readonly string[]): Promise<Asset[]> {
  if (ids.length === 0) return [];
  const query = db.selectFrom('assets').selectAll().where('vault_id', '=', vaultId).where('id', '=', anyOf(ids));
  return (await query.execute()).map(readAsset);
}
