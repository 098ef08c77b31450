import { type AssetClass, unitOf } from '../assets/rules/asset.ts';
import { isStale, type Price } from '../prices/rules/valuation.ts';
import { adminPricesOf, isPriceCompared } from './rules/market-value.ts';
import type { GovernedVault } from '../proposals/rules/governed-vault.ts';
import type { Db } from '../platform/database/database.ts';
import type { Proposal } from '../proposals/queries/proposals.ts';
import { assetsOfProposal } from '../assets/queries/vault-assets.ts';
import type { ServiceContext } from '../context.ts';
import { findPrice } from '../prices/find-price.ts';

/**
 * The prices of the asset to buy, or of assets to sell at a price that is compared with the market, by policy id + name; without those
 * that the market need not have. Throws PRICE_UNAVAILABLE.
 */
export async function pricesOf(
  { db, priceSource, durationBounds, readingTime }: ServiceContext,
  proposal: Proposal,
  vault: Pick<GovernedVault, 'claimsOpen'>,
): Promise<ReadonlyMap<string, Price>> {
  const [classes, now] = [await pricedClasses(db, proposal, vault), await readingTime()];
  const prices = [...classes].map(async ([unit, { asset, mayLackMarket }]) => {
    if (!mayLackMarket) return [[unit, await priceSource.priceOf(asset)] as const];
    const price = await findPrice(priceSource, asset);
    return price === null || isStale(price, now, durationBounds.tradePriceAge.max) ? [] : [[unit, price] as const];
  });
  return new Map((await Promise.all(prices)).flat());
}

interface PricedClass {
  readonly asset: AssetClass;
  /** Whether the price of the admin decides where the market says nothing: the vote has fixed the price of the sale. */
  readonly mayLackMarket: boolean;
}

async function pricedClasses(
  db: Db,
  { effect, vaultId }: Proposal,
  vault: Pick<GovernedVault, 'claimsOpen'>,
): Promise<ReadonlyMap<string, PricedClass>> {
  if (effect.type === 'BUY') {
    const asset = { policyId: effect.terms.policyId, assetName: effect.terms.assetNameHex };
    return new Map([[unitOf(asset), { asset, mayLackMarket: false }]]);
  }
  if (effect.type !== 'ASSET_SALE' || !isPriceCompared(effect, vault)) return new Map();
  const held = await assetsOfProposal(db, vaultId, effect.assetIds);
  const sold = held.filter(({ id }) => effect.assetIds.includes(id));
  const ofAdmin = effect.terms.price === null ? new Map<string, Price>() : adminPricesOf(sold);
  return new Map(sold.map((asset) => [unitOf(asset), { asset, mayLackMarket: ofAdmin.has(unitOf(asset)) }]));
}
