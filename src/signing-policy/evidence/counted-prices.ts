import { assetStatuses } from '../../assets/rules/asset.ts';
import { customPriceOf } from '../../prices/rules/custom-price.ts';
import { mapInBatches } from '../../platform/async/map-in-batches.ts';
import type { SettlementPlan } from '../../settlement/rules/plan-commitment.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { CountedPrices } from '../evidence.ts';
import { vaultAssets } from '../../assets/queries/vault-assets.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { type DepositedAsset, readSealed, withDeposits } from '../../prices/sealed-prices.ts';
import type { EvidenceContext } from './evidence-context.ts';

const ASKED_AT_ONCE = 50;

/**
 * The prices with which the contributions in a plan count: those that the worker has sealed when it decided them. Of others, whose seal
 * somebody may have removed, the admin's price, or what the market says now. Throws PRICE_UNAVAILABLE.
 */
export async function countedPrices(
  context: Pick<EvidenceContext, 'db' | 'keys' | 'priceSource'>,
  { id, terms }: Pick<Vault, 'id' | 'terms'>,
  plan: SettlementPlan,
): Promise<CountedPrices> {
  const planned = new Set(plan.shares.map(({ deposit }) => refText(deposit)));
  const assets = await withDeposits(context.db, await vaultAssets(context.db, id, assetStatuses));
  const counted = assets.filter(({ deposit }) => planned.has(deposit));
  const prices = await mapInBatches(counted, ASKED_AT_ONCE, async (asset) => {
    const price = await countedPrice(context, terms, asset);
    const { id: assetId, addedAt, lockedAt } = asset;
    return [asset.deposit, { ...price, arrival: { id: assetId, addedAt, lockedAt } }] as const;
  });
  const { floorPricePercentage, maxShare } = terms;
  return { prices: new Map(prices), floorPricePercentage, maxShare };
}

async function countedPrice(
  { keys, priceSource }: Pick<EvidenceContext, 'keys' | 'priceSource'>,
  terms: Vault['terms'],
  asset: DepositedAsset,
) {
  const sealed = readSealed(keys, 'counted', asset) ?? customPriceOf(terms, asset);
  return sealed ? { price: sealed, isSealed: true } : { price: await priceSource.priceOf(asset), isSealed: false };
}
