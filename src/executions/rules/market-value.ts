import { isFungibleByName, type AssetClass, unitOf } from '../../assets/rules/asset.ts';
import { marketPricedAsset, type ValuedAsset } from '../../prices/rules/priced-asset.ts';
import { type Price, valueOf } from '../../prices/rules.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { ProposalEffect } from '../../proposals/rules/effects.ts';
import type { GovernedVault } from '../../proposals/rules/allowed-actions.ts';
import { type BaseUnits, FULL_SHARE, type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';
import type { BoughtAsset } from './execution.ts';

type Purchase = Extract<ProposalEffect, { type: 'BUY' }>;
/** By policy id + name. */
type Prices = ReadonlyMap<string, Price>;

/**
 * Whether the price of an execution is compared with the market: one that the vote left open, and while a vault ends the price of each
 * sale, because a few holders are left who could sell to themselves what others have a share of.
 */
export function isPriceCompared(
  { type, terms }: ProposalEffect,
  { claimsOpen }: Pick<GovernedVault, 'claimsOpen'>,
): boolean {
  if (!('price' in terms)) return false;
  return terms.price === null || (type === 'ASSET_SALE' && claimsOpen);
}

/** Whether it sells at a price of the vote: with that price the vote has also decided what is sold for less than all of it would cost. */
export function isSaleAtVotedPrice({ type, terms }: ProposalEffect): boolean {
  return type === 'ASSET_SALE' && terms.price !== null;
}

/** The asset that a purchase names. */
export function assetClassOf({ terms: { policyId, assetNameHex: assetName } }: Purchase): AssetClass {
  return { policyId, assetName };
}

/** The asset that a purchase brings into the vault. */
export function boughtAsset(purchase: Purchase, prices: Prices): BoughtAsset {
  const bought = assetClassOf(purchase);
  const price = priceIn(prices, bought);
  const isNft = purchase.terms.quantity === 1n && price.decimals === 0 && !isFungibleByName(bought);
  return { type: isNft ? 'NFT' : 'CNT', price };
}

/** The market price of a purchase; at most what the market takes the asset for, so that no thin market sets the price. */
export function purchaseValue({ terms: { quantity } }: Purchase, { price }: BoughtAsset): Lovelace {
  return valueWithin(quantity, price);
}

/** The market price of a quantity, at most what the market takes the asset for. */
export function valueWithin(quantity: BaseUnits, price: Price): Lovelace {
  const value = valueOf(quantity, price, FULL_SHARE);
  return price.marketLimit !== undefined && price.marketLimit < value ? price.marketLimit : value;
}

/**
 * The prices that the admin of a vault has set for those of its assets that the market does not value, by policy id + name. They count in a
 * sale at a price that the vote has fixed, where the market says nothing: nobody could sell these assets while holders claim otherwise.
 */
export function adminPricesOf(assets: readonly ValuedAsset[]): Prices {
  const ofAdmin = assets.filter(({ valuationMethod }) => valuationMethod === 'custom');
  return new Map(ofAdmin.map((asset) => [unitOf(asset), asset.countedPrice ?? asset.price]));
}

/** An asset to be sold, with what the settlement counted it with: null for one that was bought since. */
interface SoldAsset extends ValuedAsset {
  readonly countedValue: Lovelace | null;
}

interface SalePrices {
  readonly market: Prices;
  readonly shown: Prices;
  /** Whether the vote has fixed the price: it need not bring what no market takes (`withinLimit`). */
  readonly isFixed: boolean;
}

/**
 * The full market price of assets to be sold, whatever part of it counts in the vault (design D50), or the value that the
 * vault shows, whichever is higher.
 */
export function saleValue(
  assets: readonly SoldAsset[],
  terms: Pick<VaultTerms, 'valuationType' | 'floorPricePercentage'>,
  { market, shown, isFixed }: SalePrices,
): Lovelace {
  const known = new Map([...adminPricesOf(assets), ...market]);
  const sumOf = (valueOfOne: (asset: SoldAsset) => bigint) =>
    [...Map.groupBy(assets, unitOf)].reduce((sum, [unit, deposits]) => {
      const parts = deposits.map((asset) => ({ asset, value: valueOfOne(asset) }));
      return sum + withinLimit(parts, isFixed ? known.get(unit)?.marketLimit : undefined, terms);
    }, 0n);
  const valued = sumOf((asset) => marketPricedAsset(asset, terms, shown).value);
  const marketValue = sumOf((asset) => {
    const price = priceIn(known, asset);
    // The price is per whole token: with other decimals than the recorded ones it is for another quantity.
    if (price.decimals !== asset.price.decimals) throw new ServiceError('PRICE_UNAVAILABLE');
    return valueOf(asset.quantity, price, FULL_SHARE);
  });
  return lovelace(valued > marketValue ? valued : marketValue);
}

/**
 * What deposits of one asset are worth together: all of it or, if the market takes less, what it takes, and no less than the part that the
 * settlement counted, since a market can be made thin. Nobody pays for the rest, so that whoever gets what is not sold would gain by asking for it.
 */
function withinLimit(
  parts: readonly { readonly asset: SoldAsset; readonly value: bigint }[],
  limit: Lovelace | undefined,
  { floorPricePercentage }: Pick<VaultTerms, 'floorPricePercentage'>,
): bigint {
  const whole = parts.reduce((sum, { value }) => sum + value, 0n);
  if (limit === undefined) return whole;
  const counted = parts.reduce((sum, { asset: { quantity, countedPrice, countedValue }, value }) => {
    const own = countedPrice === null ? 0n : valueOf(quantity, countedPrice, floorPricePercentage);
    return sum + (countedValue === null || own === 0n ? value : (value * countedValue) / own);
  }, 0n);
  const least = counted > limit ? counted : limit;
  return whole < least ? whole : least;
}

function priceIn(prices: Prices, asset: AssetClass): Price {
  const price = prices.get(unitOf(asset));
  if (!price) throw new Error(`no price of ${unitOf(asset)} was read`);
  return price;
}
