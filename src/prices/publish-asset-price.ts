import type { Price } from './rules.ts';
import { isoText } from '../platform/units/time.ts';
import type { Asset } from '../assets/queries/assets.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { platformEventFields, publish } from '../events/publish.ts';

/** Publishes the price that an asset counts with from now on, unless readers saw the same before. That it is newer is no change. */
export async function publishAssetPrice(
  context: TransactionContext,
  { id: assetId, vaultId, owner, policyId, assetName }: Asset,
  { lovelace: price, source, asOf }: Price,
  shown: Price,
): Promise<void> {
  if (price === shown.lovelace && source === shown.source) return;
  const data = { assetId, policyId, assetName, price: price.toString(), source, asOf: isoText(asOf) };
  const fields = { ...platformEventFields(vaultId), wallets: [owner], transactionHash: null };
  await publish(context, { event: { type: 'ASSET_PRICED', ...fields, data } });
}
