import { requireFresh } from '../prices/rules/valuation.ts';
import type { EvaluatedRequest } from './rules/effects/effect-rules.ts';
import { isPriceCompared, isSaleAtVotedPrice, purchaseValue, saleValue } from './rules/market-value.ts';
import type { Lovelace } from '../platform/units/money.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { vaultPrices } from '../prices/queries/prices.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import type { ExecutionPrefetch } from './prefetch.ts';

interface PricedRequest extends Pick<EvaluatedRequest, 'approved' | 'bought'> {
  readonly assets: readonly Asset[];
  readonly vault: Vault;
}

/**
 * The lovelace that a price is compared with (`isPriceCompared`): `purchaseValue` of a bought asset, `saleValue` of sold
 * assets. Null when it is compared with none. Throws PRICE_UNAVAILABLE, for an old price too.
 */
export async function marketValue(
  { tx, now }: TransactionContext,
  { durationBounds }: Pick<ServiceContext, 'durationBounds'>,
  { approved, assets, vault, bought }: PricedRequest,
  prices: ExecutionPrefetch['prices'],
): Promise<Lovelace | null> {
  if (!isPriceCompared(approved, vault)) return null;
  for (const price of prices.values()) requireFresh(price, now, durationBounds.tradePriceAge.max);
  if (approved.type === 'BUY') return bought && purchaseValue(approved, bought);
  const shown = await vaultPrices(tx, [vault.id]);
  return saleValue(assets, vault.terms, { market: prices, shown, isFixed: isSaleAtVotedPrice(approved) });
}
