import type { BaseUnits, Lovelace } from '../units/money.ts';
import type { VaultTerms } from '../vault/vault.ts';
import type { AssetClass } from './asset.ts';
import { type Price, valueOf } from './valuation.ts';

/** What the value of an asset in its vault depends on. */
export interface ValuedAsset extends AssetClass {
  readonly quantity: BaseUnits;
  /** The price when it was contributed. */
  readonly price: Price;
  /** Lovelace per whole token in the settlement; null until the asset window has closed. */
  readonly countedPrice: Lovelace | null;
}

/** An asset with the price it counts with at present. */
export interface PricedAsset<Asset extends ValuedAsset = ValuedAsset> {
  readonly asset: Asset;
  readonly price: Price;
  readonly value: Lovelace;
}

type ValuationTerms = Pick<VaultTerms, 'valuationType' | 'floorPricePercentage'>;

/**
 * The fixed price once there is one; until then that of the contribution (FIXED) or the last known one (LBE) (design D12).
 * `latest` holds the last known prices by policy id + name.
 */
export function pricedAsset<Asset extends ValuedAsset>(
  asset: Asset,
  terms: ValuationTerms,
  latest: ReadonlyMap<string, Price>,
): PricedAsset<Asset> {
  const price = presentPrice(asset, terms, latest);
  return { asset, price, value: valueOf(asset.quantity, price, terms.floorPricePercentage) };
}

function presentPrice(
  asset: ValuedAsset,
  { valuationType }: ValuationTerms,
  latest: ReadonlyMap<string, Price>,
): Price {
  if (asset.countedPrice !== null) return { ...asset.price, lovelace: asset.countedPrice };
  const known = valuationType === 'LBE' ? latest.get(asset.policyId + asset.assetName) : undefined;
  // A price for another whole token than the quantity was measured in says nothing about it.
  return known?.decimals === asset.price.decimals ? known : asset.price;
}
