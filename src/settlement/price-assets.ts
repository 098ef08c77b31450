import { mapInBatches } from '../platform/async/map-in-batches.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Price } from '../prices/rules/valuation.ts';
import { lovelace } from '../platform/units/money.ts';
import { pricedAsset } from '../prices/rules/priced-asset.ts';
import { isLastDay } from '../vaults/rules/window.ts';
import { setCountedPrice } from '../prices/queries/asset-prices.ts';
import { vaultPrices } from '../prices/queries/prices.ts';
import { findPlan } from './queries/settlements.ts';
import { getVault } from '../vaults/queries/vaults.ts';
import { assetsToPrice } from '../assets/assets-to-price.ts';
import type { ServiceContext } from '../context.ts';
import { freshPrice, type PricingContext } from '../prices/fresh-price.ts';
import { publishAssetPrice } from '../prices/publish-asset-price.ts';
import { type DepositedAsset, readSealed, sealedPrice } from '../prices/sealed-prices.ts';
import { holdVault, releaseVault } from '../vaults/holds.ts';

/** Named as the source of the price of an asset that has none. */
const NO_PRICE = 'none';
/** As in assets-to-price.ts. */
const ASKED_AT_ONCE = 50;

/**
 * Fixes the price of each asset of a vault (design D12, D14). Returns false while one of them has no fresh price; the vault
 * then shows a hold. From a day before T on, such an asset beside others counts as worth nothing and goes back to its owner, so that it
 * cannot fail the vault for all.
 */
export async function priceAssets(
  context: Pick<ServiceContext, 'unitOfWork' | 'ledger'> & PricingContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<boolean> {
  const { db, unitOfWork, keys } = context;
  // Assets that came into the vault after the plan have no part in it.
  if ((await findPlan(db, vaultId)) !== null) return true;
  const vault = await getVault(db, vaultId);
  if (now >= vault.settlesBy) return false;
  const assets = await assetsToPrice(context, vaultId);
  const prices = await vaultPrices(db, [vaultId]);
  const setPrice = (asset: DepositedAsset, price: Price) =>
    unitOfWork(async (work) => {
      const isSet = await setCountedPrice(work.tx, asset, sealedPrice(keys, 'counted', asset, price));
      const shown = pricedAsset(asset, vault.terms, prices).price;
      if (isSet) await publishAssetPrice({ ...work, now }, asset, price, shown);
    });
  // One that is not sealed was not decided by a worker.
  const toPrice = assets.filter((asset) => readSealed(keys, 'counted', asset) === null);
  const missing = await mapInBatches(toPrice, ASKED_AT_ONCE, async (asset) => {
    const price = await freshPrice(context, vault, asset, now);
    if (typeof price === 'string') return { asset, reason: price };
    await setPrice(asset, price);
    return null;
  });
  const unpriced = missing.filter((one) => one !== null);
  const [first] = unpriced;
  if (first && !(isLastDay(vault.settlesBy, now) && unpriced.length < assets.length)) {
    await unitOfWork((transaction) => holdVault({ ...transaction, now }, vaultId, first.reason));
    return false;
  }
  for (const { asset } of unpriced) {
    await setPrice(asset, { ...asset.price, lovelace: lovelace(0n), asOf: now, source: NO_PRICE });
  }
  await unitOfWork((transaction) => releaseVault({ ...transaction, now }, vaultId));
  return true;
}
