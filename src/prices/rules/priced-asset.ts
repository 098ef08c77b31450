import type { BaseUnits, Lovelace } from '../../platform/units/money.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';
import { type AssetClass, unitOf } from '../../assets/rules/asset.ts';
import type { ValuationMethod } from './valuation-method.ts';
import { type Price, valueOf } from '../rules.ts';

/** What the value of an asset in its vault depends on. */
export interface ValuedAsset extends AssetClass {
  readonly quantity: BaseUnits;
  /** The price when it was contributed. */
  readonly price: Price;
  readonly valuationMethod: ValuationMethod;
  /** The price that the settlement counts; null until the asset window has closed. */
  readonly countedPrice: Price | null;
}

/** An asset with the price it counts with at present. */
export interface PricedAsset<Asset extends ValuedAsset = ValuedAsset> {
  readonly asset: Asset;
  readonly price: Price;
  readonly value: Lovelace;
}

export type ValuationTerms = Pick<VaultTerms, 'valuationType' | 'floorPricePercentage'>;

/**
 * The asset as the settlement counts it: with the fixed price once there is one; until then that of the contribution (FIXED) or the
 * last known one (LBE) (design D12). `latest` holds the last known prices by policy id + name.
 */
export function pricedAsset<Asset extends ValuedAsset>(
  asset: Asset,
  terms: ValuationTerms,
  latest: ReadonlyMap<string, Price>,
): PricedAsset<Asset> {
  const known = terms.valuationType === 'LBE' ? marketPrice(asset, latest) : null;
  return withPrice(asset, terms, asset.countedPrice ?? known ?? asset.price);
}

/** The asset of a settled vault: with the last known price of the market, whatever the settlement counted (design D48). */
export function marketPricedAsset<Asset extends ValuedAsset>(
  asset: Asset,
  terms: ValuationTerms,
  latest: ReadonlyMap<string, Price>,
): PricedAsset<Asset> {
  return withPrice(asset, terms, marketPrice(asset, latest) ?? asset.countedPrice ?? asset.price);
}

function withPrice<Asset extends ValuedAsset>(
  asset: Asset,
  { floorPricePercentage }: ValuationTerms,
  price: Price,
): PricedAsset<Asset> {
  return { asset, price, value: valueOf(asset.quantity, price, floorPricePercentage) };
}

/** Null when the market says nothing about the asset: its value is set by an admin, or its decimals were others. */
function marketPrice(asset: ValuedAsset, latest: ReadonlyMap<string, Price>): Price | null {
  if (asset.valuationMethod === 'custom') return null;
  const known = latest.get(unitOf(asset));
  // A price for another whole token than the quantity was measured in says nothing about it.
  return known?.decimals === asset.price.decimals ? known : null;
}
