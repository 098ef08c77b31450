import type { Instant } from '../../platform/units/instant.ts';
import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { type AssetClass, maxAssetsPerVault } from '../../assets/rules/asset.ts';
import { MAX_QUANTITY } from '../../types/rules/asset-type.ts';
import type { Price } from './valuation.ts';

/** The price of one whole token or one NFT that the admin of a vault has set for it (design D15). */
export interface CustomPrice extends AssetClass {
  readonly lovelace: Lovelace;
  /** Decimals of the asset: 0 for an NFT. */
  readonly decimals: number;
  /** The whole tokens that count at most, of all deposits together; undefined, of prices from before there was a limit, is none. */
  readonly maxQuantity?: number | undefined;
  readonly setAt: Instant;
}

/** The largest `maxQuantity`: the most that the deposits of a vault can have of one asset. */
export const MAX_CUSTOM_QUANTITY = MAX_QUANTITY * maxAssetsPerVault;

/** The most custom prices of a vault: as many as it can have assets. */
export const MAX_CUSTOM_PRICES = maxAssetsPerVault;

/** Named as the source of a custom price. */
const SOURCE = 'admin';

/** The price that the admin has set for an asset, with the most that all of it can count with; undefined when its market says it. */
export function customPriceOf(
  {
    customPrices,
    floorPricePercentage,
  }: { readonly customPrices: readonly CustomPrice[]; readonly floorPricePercentage: BasisPoints },
  { policyId, assetName }: AssetClass,
): Price | undefined {
  const found = customPrices.find((price) => price.policyId === policyId && price.assetName === assetName);
  if (!found) return undefined;
  const { lovelace: price, decimals, setAt: asOf, maxQuantity } = found;
  // The limit is one of quantities: of each token no more counts than the vault counts of its price.
  const marketLimit =
    maxQuantity === undefined ? undefined : lovelace((price * BigInt(maxQuantity) * floorPricePercentage) / FULL_SHARE);
  return { lovelace: price, decimals, asOf, source: SOURCE, marketLimit };
}
