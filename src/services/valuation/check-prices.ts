import { isStale } from '../../domain/asset/valuation.ts';
import { ServiceError } from '../../domain/errors.ts';
import { mapInBatches } from '../../domain/map-in-batches.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { setCheckedPrice } from '../../store/asset-changes.ts';
import type { Asset } from '../../store/assets.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { assetsToCheck } from '../../store/vault-assets.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'priceSource' | 'durationBounds'>;

/** As in price-assets.ts. */
const ASKED_AT_ONCE = 50;

/**
 * Reads the prices that contributions to a FIXED vault count with, when their transaction is first sent, or has landed because its
 * owner sent it: the api, which wrote the price of
 * the request, cannot decide what its caller's assets are worth (design D44). Without a price the settlement compares that of the request
 * with the market.
 */
export async function checkPrices(
  context: Context,
  { id, kind, state }: Pick<ChainTransaction, 'id' | 'kind' | 'state'>,
  now: Instant,
): Promise<void> {
  if (kind !== 'add_asset' || (state !== 'pending' && state !== 'confirmed')) return;
  await mapInBatches(await assetsToCheck(context.db, id), ASKED_AT_ONCE, (asset) => checkPrice(context, asset, now));
}

async function checkPrice(
  { unitOfWork, priceSource, durationBounds }: Context,
  asset: Asset,
  now: Instant,
): Promise<void> {
  try {
    const price = await priceSource.priceOf(asset);
    // A price for other decimals than the quantity was measured in would be wrong by powers of ten.
    if (price.decimals !== asset.price.decimals || isStale(price, now, durationBounds.valuationAge.max)) return;
    await unitOfWork(({ tx }) => setCheckedPrice(tx, asset.id, price));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'PRICE_UNAVAILABLE') throw error;
  }
}
