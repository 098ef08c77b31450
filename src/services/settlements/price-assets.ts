import type { Instant } from '../../domain/units/instant.ts';
import { lovelace } from '../../domain/units/money.ts';
import { isLastDay } from '../../domain/vault/window.ts';
import type { HoldReason } from '../../domain/vault/hold.ts';
import type { Asset } from '../../store/assets.ts';
import { setCountedPrice } from '../../store/asset-changes.ts';
import { findPlan } from '../../store/settlements.ts';
import { getVault } from '../../store/vaults.ts';
import { assetsToPrice } from '../assets/assets-to-price.ts';
import type { ServiceContext } from '../context.ts';
import { freshPrice } from '../valuation/fresh-price.ts';
import { holdVault, releaseVault } from '../vaults/holds.ts';

/** Named as the source of the price of an asset that has none. */
const NO_PRICE = 'none';

/**
 * Fixes the price of each asset of a vault (design D12, D14). Returns false while one of them has no fresh price; the vault
 * then shows a hold. From a day before T on, such an asset beside others counts as worth nothing and goes back to its owner, so that it
 * cannot fail the vault for all.
 */
export async function priceAssets(
  context: Pick<ServiceContext, 'db' | 'unitOfWork' | 'ledger' | 'priceSource' | 'durationBounds'>,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<boolean> {
  const { db, unitOfWork } = context;
  // Assets that came into the vault after the plan have no part in it.
  if ((await findPlan(db, vaultId)) !== null) return true;
  const vault = await getVault(db, vaultId);
  if (now >= vault.settlesBy) return false;
  const assets = await assetsToPrice(context, vaultId);
  const unpriced: { readonly asset: Asset; readonly reason: HoldReason }[] = [];
  for (const asset of assets.filter(({ countedPrice }) => countedPrice === null)) {
    const price = await freshPrice(context, vault, asset, now);
    if (typeof price === 'string') unpriced.push({ asset, reason: price });
    else await unitOfWork(({ tx }) => setCountedPrice(tx, asset.id, price));
  }
  const [first] = unpriced;
  if (first && !(isLastDay(vault.settlesBy, now) && unpriced.length < assets.length)) {
    await unitOfWork((transaction) => holdVault({ ...transaction, now }, vaultId, first.reason));
    return false;
  }
  for (const { asset } of unpriced) {
    const worthless = { ...asset.price, lovelace: lovelace(0n), asOf: now, source: NO_PRICE };
    await unitOfWork(({ tx }) => setCountedPrice(tx, asset.id, worthless));
  }
  await unitOfWork((transaction) => releaseVault({ ...transaction, now }, vaultId));
  return true;
}
