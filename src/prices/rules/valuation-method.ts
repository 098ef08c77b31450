import type { AssetType } from '../../assets/rules/asset.ts';

export const valuationMethods = ['floor_price', 'dex_price', 'custom'] as const;
export type ValuationMethod = (typeof valuationMethods)[number];

/** How the price source values assets of a type. */
export function valuationMethodOf(type: AssetType): 'floor_price' | 'dex_price' {
  return type === 'NFT' ? 'floor_price' : 'dex_price';
}
