import type { Asset } from '../../store/assets.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { EventTypeLike } from '../../store/event-data/event-data.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { publish } from '../publish.ts';

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
