import type { AssetType } from './asset.ts';

export type ValuationMethod = 'floor_price' | 'dex_price' | 'custom';

/** How the price source values assets of a type. */
export function valuationMethodOf(type: AssetType): 'floor_price' | 'dex_price' {
  return type === 'NFT' ? 'floor_price' : 'dex_price';
}
