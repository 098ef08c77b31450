import type { Selectable } from 'kysely';
import type { ValuedAsset } from '../rules/priced-asset.ts';
import type { Price } from '../rules.ts';
import { instant } from '../../platform/units/time.ts';
import { lovelace } from '../../platform/units/money.ts';
import type { AssetsTable } from '../../platform/database/tables/deposits.ts';

/** The columns of the prices of an asset. */
export type AssetPricesRow = Pick<
  Selectable<AssetsTable>,
  | 'price'
  | 'decimals'
  | 'priced_at'
  | 'price_source'
  | 'market_limit'
  | 'counted_price'
  | 'counted_at'
  | 'counted_source'
>;

/** The price when an asset was contributed, and the one that the settlement counts. */
export function readAssetPrices(row: AssetPricesRow): Pick<ValuedAsset, 'price' | 'countedPrice'> {
  const price: Price = {
    lovelace: lovelace(BigInt(row.price)),
    decimals: row.decimals,
    asOf: instant(row.priced_at),
    source: row.price_source,
    marketLimit: row.market_limit === null ? undefined : lovelace(BigInt(row.market_limit)),
  };
  return { price, countedPrice: readCountedPrice(row, price) };
}

function readCountedPrice(row: AssetPricesRow, price: Price): Price | null {
  const { counted_price: counted, counted_at: asOf, counted_source: source } = row;
  if (counted === null || asOf === null || source === null) return null;
  return { ...price, lovelace: lovelace(BigInt(counted)), asOf: instant(asOf), source };
}
