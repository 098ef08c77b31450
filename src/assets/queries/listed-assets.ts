import { type ExpressionBuilder, sql } from 'kysely';
import type { AssetStatus } from '../rules/asset.ts';
import type { ValuationTerms } from '../../prices/rules/priced-asset.ts';
import type { Price } from '../../prices/rules/valuation.ts';
import { basisPoints } from '../../platform/units/money.ts';
import { type Asset, readAsset } from './assets.ts';
import type { Database, Db } from '../../platform/database/database.ts';
import { type DepositGuard, guardColumns, readGuard } from './deposit-guard.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { lastPriceColumns, readLastPrice } from '../../prices/queries/last-prices.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';

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
  const wanted = withPrices(db).modifyFront(prepared).where('assets.id', '=', assetId);
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
