import { customPriceOf } from './rules/custom-price.ts';
import { isNear, isStale, type Price } from './rules/valuation.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { HoldReason } from '../vaults/rules/hold.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { storePrices } from './queries/prices.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { findPrice } from './find-price.ts';
import { type DepositedAsset, readSealed, type Sealing } from './sealed-prices.ts';

/** What prices are decided with. */
export type PricingContext = Pick<ServiceContext, 'db' | 'priceSource' | 'durationBounds'> & { readonly keys: Sealing };

/**
 * The price that an asset is valued at in a settlement: FIXED keeps the price of the contribution, and an asset with a price of the admin
 * has that; LBE takes one that is fresh now. A price of the contribution that the worker has not sealed counts only if the market is
 * still near it: anybody may have written it (design D44). Stores the price it reads; returns why there is none. An asset of which an unknown number
 * exists has none.
 */
export async function freshPrice(
  { db, priceSource, durationBounds, keys }: PricingContext,
  { terms }: Vault,
  asset: DepositedAsset,
  now: Instant,
): Promise<Price | HoldReason> {
  if (asset.supplyUnchecked) return 'price_unavailable';
  if (asset.valuationMethod === 'custom') return customPrice(terms, asset);
  const isFixed = terms.valuationType === 'FIXED';
  const sealed = isFixed ? readSealed(keys, 'contributed', asset) : null;
  if (sealed !== null) return sealed;
  const market = await findPrice(priceSource, asset, asset.price.decimals);
  if (market === null) return 'price_unavailable';
  await storePrices(db, [{ asset, price: market }], now);
  if (isStale(market, now, durationBounds.valuationAge.max)) return 'stale_price';
  return isFixed && isNear(asset.price, market) ? { ...asset.price, marketLimit: market.marketLimit } : market;
}

/** As the vault has it, whatever was written with the asset. */
function customPrice(terms: Vault['terms'], asset: Asset): Price | HoldReason {
  const price = customPriceOf(terms, asset);
  return price?.decimals === asset.price.decimals ? price : 'price_unavailable';
}
