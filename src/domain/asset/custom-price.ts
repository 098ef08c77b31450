import type { Instant } from '../units/instant.ts';
import type { Lovelace } from '../units/money.ts';
import type { AssetClass } from './asset.ts';
import type { Price } from './valuation.ts';

/** The price of one whole token or one NFT that the admin of a vault has set for it (design D15). */
export interface CustomPrice extends AssetClass {
  readonly lovelace: Lovelace;
  /** Decimals of the asset: 0 for an NFT. */
  readonly decimals: number;
  readonly setAt: Instant;
}

/** The most custom prices of a vault: as many as it can have assets. */
export const MAX_CUSTOM_PRICES = 100;

/** Named as the source of a custom price. */
const SOURCE = 'admin';

/** The price that the admin has set for an asset; undefined when its market says it. */
export function customPriceOf(
  { customPrices }: { readonly customPrices: readonly CustomPrice[] },
  { policyId, assetName }: AssetClass,
): Price | undefined {
  const found = customPrices.find((price) => price.policyId === policyId && price.assetName === assetName);
  return found && { lovelace: found.lovelace, decimals: found.decimals, asOf: found.setAt, source: SOURCE };
}
