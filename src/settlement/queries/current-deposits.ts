import { type Selectable, sql } from 'kysely';
import type { Price } from '../../prices/rules.ts';
import type { Investment } from '../rules/distribution.ts';
import type { RankedInvestment } from '../rules/fdv-bounds.ts';
import { unitOf } from '../../assets/rules/asset.ts';
import { baseUnits, basisPoints, lovelace } from '../../platform/units/money.ts';
import type { Asset } from '../../assets/queries/assets.ts';
import { jsonDate, jsonInstant, type JsonRow, type JsonTime } from '../../platform/database/stored-json.ts';
import { readPrice } from '../../prices/queries/prices.ts';
import { type AssetPricesRow, readAssetPrices } from '../../prices/queries/stored-asset-prices.ts';
import type { AssetsTable, PricesTable } from '../../platform/database/tables/deposits.ts';
import type { ValuedVault } from '../../prices/queries/valuations.ts';

/** So many investments are read with their vault; of more, sums are read. */
const MAX_READ_TOGETHER = 200;

/** What is in a vault, as a settlement would find it now. */
export interface CurrentDeposits {
  /** Its LOCKED assets, oldest first. */
  readonly assets: readonly CurrentAsset[];
  /** The last known prices of the market of those, by policy id followed by asset name. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Those that are confirmed and stay, oldest first; null when they are too many to read each of them. */
  readonly investments: readonly CurrentInvestment[] | null;
}

/** What of an asset its value depends on, and in which order the assets of one policy count. */
export type CurrentAsset = Pick<
  Asset,
  | 'id'
  | 'type'
  | 'policyId'
  | 'assetName'
  | 'quantity'
  | 'valuationMethod'
  | 'owner'
  | 'price'
  | 'countedPrice'
  | 'removeTransactionId'
  | 'lockedAt'
  | 'addedAt'
>;

/** An investment, without its wallet. */
export type CurrentInvestment = RankedInvestment & Required<Pick<Investment, 'minVaultValue' | 'maxFdv'>>;

/** What the bounds of the investments in a vault are compared with. */
export interface BoundingVault {
  readonly terms: ValuedVault['terms'];
  readonly deposits: CurrentDeposits;
}

type CurrentAssetRow = AssetPricesRow &
  Pick<
    Selectable<AssetsTable>,
    | 'id'
    | 'type'
    | 'policy_id'
    | 'asset_name'
    | 'quantity'
    | 'valuation_method'
    | 'added_by'
    | 'remove_transaction_id'
    | 'locked_at'
    | 'added_at'
  >;

export interface CurrentDepositsJson {
  readonly assets: readonly {
    readonly asset: JsonRow<CurrentAssetRow>;
    readonly price: JsonRow<Omit<Selectable<PricesTable>, 'policy_id' | 'asset_name'>> | null;
  }[];
  readonly investments:
    | readonly {
        readonly id: string;
        readonly lovelace: string;
        readonly minVaultValue: string;
        readonly maxFdv: string | null;
        readonly at: JsonTime;
      }[]
    | null;
}

interface BoundingVaultJson {
  readonly terms: Pick<ValuedVault['terms'], 'valuationType'> &
    Readonly<Record<'floorPricePercentage' | 'maxShare' | 'ftPercentage', number>>;
  readonly deposits: CurrentDepositsJson;
}

// Not the whole row, which takes several times as long.
const assetJson = sql`json_build_object('id', assets.id, 'type', assets.type, 'policy_id', assets.policy_id, 'asset_name', assets.asset_name,
  'quantity', quantity::text, 'valuation_method', valuation_method, 'added_by', added_by,
  'price', price::text, 'decimals', assets.decimals, 'priced_at', priced_at, 'price_source', price_source,
  'market_limit', assets.market_limit::text, 'counted_price', counted_price::text, 'counted_at', counted_at,
  'counted_source', counted_source, 'remove_transaction_id', remove_transaction_id, 'locked_at', locked_at, 'added_at', added_at)`;

const priceJson = sql`case when latest.policy_id is not null then json_build_object('lovelace', latest.lovelace::text,
  'decimals', latest.decimals, 'as_of', latest.as_of, 'source', latest.source, 'market_limit', latest.market_limit::text) end`;

const investmentJson = sql`json_build_object('id', id, 'lovelace', lovelace::text, 'minVaultValue', min_vault_value::text,
  'maxFdv', max_fdv::text, 'at', created_at)`;

/** What is in a vault, as a column of a statement that reads vaults. */
export const currentDeposits = sql<CurrentDepositsJson>`json_build_object(
  'assets', (select coalesce(json_agg(json_build_object('asset', ${assetJson}, 'price', ${priceJson})
      order by assets.added_at, assets.id), '[]')
    from assets left join prices latest on latest.policy_id = assets.policy_id and latest.asset_name = assets.asset_name
    where assets.vault_id = vaults.id and assets.status = 'LOCKED'),
  'investments', (select case when count(*) <= ${sql.lit(MAX_READ_TOGETHER)}
      then coalesce(json_agg(${investmentJson} order by created_at, id), '[]') end
    from (select id, lovelace, min_vault_value, max_fdv, created_at from investments
      where vault_id = vaults.id and status = 'CONFIRMED' and remove_transaction_id is null
      limit ${sql.lit(MAX_READ_TOGETHER + 1)}) as present))`;

/** As `boundingVault`, of one investment, as a column of a statement that reads investments; null when it has no bound. */
export function boundingVaultOf(vaultId: string) {
  return sql<BoundingVaultJson | null>`case when min_vault_value > 0 or max_fdv is not null then ${boundingVault(vaultId)} end`;
}

/** What the bounds of the investments in a vault are compared with, as a column. */
export function boundingVault(vaultId: string) {
  return sql<BoundingVaultJson | null>`(select json_build_object('terms', json_build_object('valuationType', valuation_type,
      'floorPricePercentage', floor_price_percentage, 'maxShare', max_share, 'ftPercentage', ft_percentage),
    'deposits', ${currentDeposits}) from vaults where id = ${vaultId})`;
}

/** Reads the column `boundingVault`. */
export function readBoundingVault({ terms, deposits }: BoundingVaultJson): BoundingVault {
  const points = (name: 'floorPricePercentage' | 'maxShare' | 'ftPercentage') => basisPoints(BigInt(terms[name]));
  return {
    terms: {
      valuationType: terms.valuationType,
      floorPricePercentage: points('floorPricePercentage'),
      maxShare: points('maxShare'),
      ftPercentage: points('ftPercentage'),
    },
    deposits: readCurrentDeposits(deposits),
  };
}

/** Reads the column `presentDeposits`. */
export function readCurrentDeposits({ assets, investments }: CurrentDepositsJson): CurrentDeposits {
  return {
    assets: assets.map(({ asset }) => readCurrentAsset(asset)),
    prices: new Map(
      assets.flatMap(({ asset: { policy_id: policyId, asset_name: assetName }, price }) =>
        price === null
          ? []
          : [[unitOf({ policyId, assetName }), readPrice({ ...price, as_of: new Date(price.as_of) })]],
      ),
    ),
    investments:
      investments &&
      investments.map(({ id, lovelace: amount, minVaultValue, maxFdv, at }) => ({
        id,
        lovelace: lovelace(BigInt(amount)),
        minVaultValue: lovelace(BigInt(minVaultValue)),
        maxFdv: maxFdv === null ? null : lovelace(BigInt(maxFdv)),
        at: jsonInstant(at),
      })),
  };
}

function readCurrentAsset(json: JsonRow<CurrentAssetRow>): CurrentAsset {
  return {
    id: json.id,
    type: json.type,
    policyId: json.policy_id,
    assetName: json.asset_name,
    quantity: baseUnits(BigInt(json.quantity)),
    valuationMethod: json.valuation_method,
    owner: json.added_by,
    ...readAssetPrices({ ...json, priced_at: new Date(json.priced_at), counted_at: jsonDate(json.counted_at) }),
    removeTransactionId: json.remove_transaction_id,
    lockedAt: json.locked_at === null ? null : jsonInstant(json.locked_at),
    addedAt: jsonInstant(json.added_at),
  };
}
