import { ServiceError } from '../../domain/errors.ts';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import type { ProposalEffect } from '../../domain/proposal/effect.ts';
import { type Price, requireFresh, valueOf } from '../../domain/asset/valuation.ts';
import type { EvaluatedRequest } from './effects/effect.ts';
import type { Asset } from '../../store/assets.ts';
import type { BoughtAsset } from '../../store/executions.ts';
import { vaultPrices } from '../../store/prices.ts';
import { type AssetClass } from '../../domain/asset/asset.ts';
import { pricedAsset } from '../settlements/settlement-input.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import type { ExecutionPrefetch } from './prefetch.ts';

type Purchase = Extract<ProposalEffect, { type: 'BUY' }>;
type Prices = ReturnType<ExecutionPrefetch['prices']>;

/**
 * The lovelace that a price which the vote left open is compared with: the market price of a bought asset; for sold assets
 * their market price or the value that the vault shows, whichever is higher. Null when the price is not open. Throws
 * PRICE_UNAVAILABLE, for an old price too.
 */
export async function marketValue(
  { tx, now }: TransactionContext,
  { durationBounds }: Pick<ServiceContext, 'durationBounds'>,
  { approved, assets, vault, bought }: Pick<EvaluatedRequest, 'approved' | 'assets' | 'vault' | 'bought'>,
  prefetched: () => ExecutionPrefetch,
): Promise<Lovelace | null> {
  if (!('price' in approved.terms) || approved.terms.price !== null) return null;
  const prices = prefetched().prices();
  for (const price of prices.values()) requireFresh(price, now, durationBounds.valuationAge.max);
  if (approved.type === 'BUY') return bought && purchaseValue(approved, bought.price);
  const shown = await vaultPrices(tx, [vault.id]);
  const valued = sumOf(assets, (asset) => pricedAsset(asset, vault.terms, shown).value);
  const market = sumOf(assets, (asset) => saleValue(asset, vault, prices));
  return lovelace(valued > market ? valued : market);
}

/** The asset that a purchase brings into the vault. */
export function boughtAsset(purchase: Purchase, prices: Prices): BoughtAsset {
  const price = priceIn(prices, assetClassOf(purchase));
  return { type: purchase.terms.quantity === 1n && price.decimals === 0 ? 'NFT' : 'CNT', price };
}

/** The asset that a purchase names. */
export function assetClassOf({ terms: { policyId, assetNameHex: assetName } }: Purchase): AssetClass {
  return { policyId, assetName };
}

function saleValue(asset: Asset, { terms }: Vault, prices: Prices): Lovelace {
  const price = priceIn(prices, asset);
  // The price is per whole token: with other decimals than the recorded ones it is for another quantity.
  if (price.decimals !== asset.price.decimals) throw new ServiceError('PRICE_UNAVAILABLE');
  return valueOf(asset.quantity, price, terms.floorPricePercentage);
}

function purchaseValue({ terms: { quantity } }: Purchase, price: Price): Lovelace {
  return lovelace((quantity * price.lovelace) / 10n ** BigInt(price.decimals));
}

function sumOf(assets: readonly Asset[], valueOfOne: (asset: Asset) => bigint): bigint {
  return assets.reduce((sum, asset) => sum + valueOfOne(asset), 0n);
}

function priceIn(prices: Prices, { policyId, assetName }: AssetClass): Price {
  const price = prices.get(policyId + assetName);
  if (!price) throw new Error(`no price of ${policyId}${assetName} was read`);
  return price;
}
