import type { Price } from '../../domain/asset/valuation.ts';
import type { AssetClass } from '../../domain/asset/asset.ts';
import type { ServiceContext } from '../context.ts';
import { prefetchWallet, type WalletPrefetch } from '../transactions/wallet-prefetch.ts';

/** What was fetched, before the unit of work, to add an asset. */
export interface AddAssetPrefetch extends WalletPrefetch {
  readonly price: Price;
  /** Base units on the ledger; null while the ledger does not know the asset. */
  readonly supply: bigint | null;
}

/** Reads the price of an asset and what its owner can pay with. Throws PRICE_UNAVAILABLE and LEDGER_UNAVAILABLE. */
export async function prefetchAddAsset(
  context: Pick<ServiceContext, 'networkState' | 'ledger' | 'priceSource'>,
  assetClass: AssetClass,
  owner: string,
): Promise<AddAssetPrefetch> {
  const { policyId, assetName } = assetClass;
  const [wallet, price, supply] = await Promise.all([
    prefetchWallet(context, owner, policyId + assetName),
    context.priceSource.priceOf(assetClass),
    context.ledger.assetSupply(policyId + assetName),
  ]);
  return { ...wallet, price, supply };
}
