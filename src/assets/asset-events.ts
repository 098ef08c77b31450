import type { Asset } from './queries/assets.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import type { EventTypeLike } from '../events/queries/event-data/event-data.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { publish } from '../events/publish.ts';

/** Publishes what a transaction did to an asset. */
export async function recordAssetEvent(
  context: TransactionContext,
  type: EventTypeLike<'ASSET_ADDED'>,
  asset: Asset,
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
): Promise<void> {
  const { id: assetId, vaultId, owner: actor, type: assetType, policyId, assetName, quantity } = asset;
  const data = { assetId, assetType, policyId, assetName, quantityBaseUnits: quantity.toString() };
  await publish(context, { event: { type, vaultId, actor, transactionHash, correlationId, data } });
}
