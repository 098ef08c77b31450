import { isStale } from './rules/valuation.ts';
import { mapInBatches } from '../platform/async/map-in-batches.ts';
import type { Instant } from '../platform/units/instant.ts';
import { setCheckedPrice } from './queries/asset-prices.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import { assetsToCheck } from '../assets/queries/vault-assets.ts';
import type { WorkerContext } from '../worker-context.ts';
import { findPrice } from './find-price.ts';
import { publishAssetPrice } from './publish-asset-price.ts';
import { type DepositedAsset, sealedPrice, type Sealing, withDeposits } from './sealed-prices.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'priceSource' | 'durationBounds'> & { readonly keys: Sealing };

/** A transaction adds a hundred assets at most, and no answer takes ten seconds: the activity that waits has a minute. */
const ASKED_AT_ONCE = 50;

/**
 * Reads the prices that contributions to a FIXED vault count with, when their transaction is first sent, or has landed because its owner
 * sent it: the api, which wrote the price of the request, cannot decide what its caller's assets are worth (design D44). Without a price
 * the settlement compares that of the request with the market.
 */
export async function checkPrices(
  context: Context,
  { id, kind, state }: Pick<ChainTransaction, 'id' | 'kind' | 'state'>,
  now: Instant,
): Promise<void> {
  if (kind !== 'add_asset' || (state !== 'pending' && state !== 'confirmed')) return;
  const assets = await withDeposits(context.db, await assetsToCheck(context.db, id));
  await mapInBatches(assets, ASKED_AT_ONCE, (asset) => checkPrice(context, asset, now));
}

async function checkPrice(
  { unitOfWork, priceSource, durationBounds, keys }: Context,
  asset: DepositedAsset,
  now: Instant,
): Promise<void> {
  const price = await findPrice(priceSource, asset, asset.price.decimals);
  if (price === null || isStale(price, now, durationBounds.valuationAge.max)) return;
  const sealed = sealedPrice(keys, 'contributed', asset, price);
  await unitOfWork(async (context) => {
    if (await setCheckedPrice(context.tx, asset.id, sealed))
      await publishAssetPrice(context, asset, price, asset.price);
  });
}
