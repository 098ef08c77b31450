import type { AssetClass } from '../assets/rules/asset.ts';
import type { Price } from './rules/valuation.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { PriceSource } from '../cardano/price-source.ts';

/**
 * The price of an asset in the feed now; null while it has none. `decimals` are those that a quantity was measured in: a price for others
 * would be wrong by powers of ten, and is none.
 */
export async function findPrice(priceSource: PriceSource, asset: AssetClass, decimals?: number): Promise<Price | null> {
  try {
    const price = await priceSource.priceOf(asset);
    return price.decimals === (decimals ?? price.decimals) ? price : null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PRICE_UNAVAILABLE') return null;
    throw error;
  }
}
