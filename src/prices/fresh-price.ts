import type { Asset } from '../assets/queries/assets.ts';
import { assetsToCheck } from '../assets/queries/listed-assets.ts';
import type { AssetClass } from '../assets/rules/asset.ts';
import type { Keys } from '../cardano/keys/keys.ts';
import type { PriceSource } from '../cardano/price-source.ts';
import type { ServiceContext } from '../context.ts';
import { mapInBatches } from '../platform/async.ts';
import type { Db } from '../platform/database/database.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Instant } from '../platform/units/time.ts';
import { publishAssetPrice } from './publish-asset-price.ts';
import { storePrices, setCheckedPrice } from './queries/prices.ts';
import {
  type Price,
  customPriceOf,
  isNear,
  isStale,
  type DepositPrice,
  priceSealText,
  type SealedPrice,
} from './rules.ts';
import { type ChainTransaction, transactionsById } from '../transactions/queries/transactions.ts';
import { refText } from '../transactions/rules.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { HoldReason } from '../vaults/rules/vault.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * The price of an asset in the feed now; null while it has none. `decimals` are those that a quantity was measured in: a price for others
 * would be wrong by powers of ten, and is none.
 */
export async function findPrice(priceSource: PriceSource, asset: AssetClass, decimals?: number): Promise<Price | null> {
  try {
    const price = await priceSource.priceOf(asset);
    return price.decimals === (decimals ?? price.decimals) ? price : null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'PRICE_UNAVAILABLE') return null;
    throw error;
  }
}

/** What prices are decided with. */
export type PricingContext = Pick<ServiceContext, 'db' | 'priceSource' | 'durationBounds'> & { readonly keys: Sealing };

/**
 * The price that an asset is valued at in a settlement: FIXED keeps the price of the contribution, and an asset with a price of the admin
 * has that; LBE takes one that is fresh now. A price of the contribution that the worker has not sealed counts only if the market is
 * still near it: anybody may have written it (design D44). Stores the price it reads; returns why there is none. An asset of which an unknown number
 * exists has none.
 */
export async function freshPrice(
  { db, priceSource, durationBounds, keys }: PricingContext,
  { terms }: Vault,
  asset: DepositedAsset,
  now: Instant,
): Promise<Price | HoldReason> {
  if (asset.supplyUnchecked) return 'price_unavailable';
  if (asset.valuationMethod === 'custom') return customPrice(terms, asset);
  const isFixed = terms.valuationType === 'FIXED';
  const sealed = isFixed ? readSealed(keys, 'contributed', asset) : null;
  if (sealed !== null) return sealed;
  const market = await findPrice(priceSource, asset, asset.price.decimals);
  if (market === null) return 'price_unavailable';
  await storePrices(db, [{ asset, price: market }], now);
  if (isStale(market, now, durationBounds.valuationAge.max)) return 'stale_price';
  return isFixed && isNear(asset.price, market) ? { ...asset.price, marketLimit: market.marketLimit } : market;
}

/** As the vault has it, whatever was written with the asset. */
function customPrice(terms: Vault['terms'], asset: Asset): Price | HoldReason {
  const price = customPriceOf(terms, asset);
  return price?.decimals === asset.price.decimals ? price : 'price_unavailable';
}

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'priceSource' | 'durationBounds'> & { readonly keys: Sealing };

/** A transaction adds a hundred assets at most, and no answer takes ten seconds: the activity that waits has a minute. */
const ASKED_AT_ONCE = 50;

/**
 * Reads the prices that contributions to a FIXED vault count with, when their transaction is first sent, or has been confirmed because its owner
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

/** What seals prices: the worker alone has it. */
type Sealing = Pick<Keys, 'seal'>;

/** An asset, and the output that holds it as `<hash>#<index>`. */
export type DepositedAsset = Asset & { readonly deposit: string };

/** Assets with the outputs that hold them. */
export async function withDeposits(db: Db, assets: readonly Asset[]): Promise<DepositedAsset[]> {
  const makers = await transactionsById(db, [...new Set(assets.map(({ addTransactionId }) => addTransactionId))]);
  return assets.map((asset) => {
    const txHash = makers.get(asset.addTransactionId)?.hash ?? '';
    return { ...asset, deposit: refText({ txHash, index: asset.depositIndex }) };
  });
}

/** A price that the worker has decided, with its seal: whoever writes Postgres cannot make another one. */
export function sealedPrice(
  { seal }: Sealing,
  kind: DepositPrice['kind'],
  asset: DepositedAsset,
  price: Price,
): SealedPrice {
  return { ...price, seal: seal(priceSealText({ kind, asset, deposit: asset.deposit, price })) };
}

/** The price of an asset that the worker has sealed; null when it has not, or when its row says something else since. */
export function readSealed(keys: Sealing, kind: DepositPrice['kind'], asset: DepositedAsset): Price | null {
  const price = kind === 'counted' ? asset.countedPrice : asset.price;
  return price !== null && sealedPrice(keys, kind, asset, price).seal === asset.seals[kind] ? price : null;
}
