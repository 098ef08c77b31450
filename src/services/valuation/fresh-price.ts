import { isStale, type Price } from '../../domain/asset/valuation.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { HoldReason } from '../../domain/vault/hold.ts';
import type { Asset } from '../../store/assets.ts';
import { storePrice } from '../../store/prices.ts';
import type { Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';

/**
 * The price that an asset is valued at in a settlement: FIXED keeps the price of the contribution, and so does an asset with a price
 * of the admin; LBE takes one that is fresh now. Stores the price it reads; returns why there is none. An asset of which an unknown
 * number exists has none.
 */
export async function freshPrice(
  { db, priceSource, durationBounds }: Pick<ServiceContext, 'db' | 'priceSource' | 'durationBounds'>,
  { terms }: Vault,
  asset: Asset,
  now: Instant,
): Promise<Price | HoldReason> {
  if (asset.supplyUnchecked) return 'price_unavailable';
  if (terms.valuationType === 'FIXED' || asset.valuationMethod === 'custom') return asset.price;
  try {
    const price = await priceSource.priceOf(asset);
    // A price for other decimals than the quantity was measured in would be wrong by powers of ten.
    if (price.decimals !== asset.price.decimals) return 'price_unavailable';
    await storePrice(db, asset, price, now);
    return isStale(price, now, durationBounds.valuationAge.max) ? 'stale_price' : price;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PRICE_UNAVAILABLE') return 'price_unavailable';
    throw error;
  }
}
