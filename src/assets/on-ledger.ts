import { expireAsset, recordAssetArrival, restoreAsset, takePlace } from './arriving-assets.ts';
import { recordAssetEvent } from './asset-events.ts';
import { changeAssetStatus, linkRemoval, setRemoveTransaction } from './queries/asset-changes.ts';
import { type Asset, lockAssetReturnedBy, lockAssetsAddedBy } from './queries/assets.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { decrementAssetCount } from '../vaults/queries/vault-changes.ts';
import type { Consequences } from '../ledger-follower/effects/consequences.ts';
import { returnToVault } from '../executions/return-to-vault.ts';

/** An asset is LOCKED while the transaction that brought it is on the ledger. A transaction may bring several. */
export const addAssetConsequences: Consequences = {
  revived: returnToVault,
  async confirmed(context, transaction) {
    for (const asset of await addedAssets(context, transaction)) {
      if (!(await takePlace(context, asset, transaction))) continue;
      await recordAssetArrival(context, asset);
      await recordAssetEvent(context, 'ASSET_ADDED', asset, transaction);
    }
  },
  async rolledBack(context, transaction) {
    for (const asset of await addedAssets(context, transaction)) {
      if (asset.status === 'RELEASED') continue; // It never counted.
      await changeAssetStatus(context, asset, { status: 'PENDING', direction: 'rollback' });
      await recordAssetEvent(context, 'ASSET_ADD_ROLLED_BACK', asset, transaction);
    }
  },
  async ended(context, transaction, end) {
    for (const asset of await addedAssets(context, transaction))
      if (asset.status === 'PENDING') await expireAsset(context, asset, transaction, end);
  },
};

/** An asset is RELEASED while the transaction that returned it is on the ledger. */
export const removeAssetConsequences: Consequences = {
  revived: linkRemoval,
  async confirmed(context, transaction) {
    const asset = await returnedAsset(context, transaction);
    await changeAssetStatus(context, asset, { status: 'RELEASED', reason: 'removed' });
    await decrementAssetCount(context.tx, asset.vaultId);
    await recordAssetEvent(context, 'ASSET_REMOVED', asset, transaction);
  },
  async rolledBack(context, transaction) {
    const asset = await returnedAsset(context, transaction);
    await restoreAsset(context, asset);
    await decrementAssetCount(context.tx, asset.vaultId, -1);
    await recordAssetEvent(context, 'ASSET_REMOVE_ROLLED_BACK', asset, transaction);
  },
  async ended(context, transaction) {
    const asset = await lockAssetReturnedBy(context.tx, transaction.id);
    if (!asset) return;
    await setRemoveTransaction(context, asset.id, null);
    await recordAssetEvent(context, 'ASSET_REMOVE_EXPIRED', asset, transaction);
  },
};

async function addedAssets({ tx }: TransactionContext, { id, hash }: ChainTransaction): Promise<Asset[]> {
  const assets = await lockAssetsAddedBy(tx, id);
  if (assets.length === 0) throw new Error(`transaction ${hash} adds no asset`);
  return assets;
}

async function returnedAsset({ tx }: TransactionContext, { id, hash }: ChainTransaction): Promise<Asset> {
  const asset = await lockAssetReturnedBy(tx, id);
  if (!asset) throw new Error(`transaction ${hash} returns no asset`);
  return asset;
}
