import { expireAsset, recordAssetArrival, releaseDuplicate, restoreAsset } from '../assets/arriving-assets.ts';
import { recordAssetEvent } from '../assets/asset-events.ts';
import { changeAssetStatus, linkRemoval, setRemoveTransaction } from '../../store/asset-changes.ts';
import { lockAssetOfTransaction, lockAssetReturnedBy } from '../../store/assets.ts';
import { decrementAssetCount } from '../../store/vault-changes.ts';
import type { Consequences } from './consequences.ts';
import { returnToVault } from './return-to-vault.ts';

/** An asset is LOCKED while the transaction that brought it is on the ledger. */
export const addAssetConsequences: Consequences = {
  revived: returnToVault,
  async confirmed(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'add_transaction_id', transaction.id);
    if (await releaseDuplicate(context, asset, transaction)) return;
    const wasSuperseded = await recordAssetArrival(context, asset);
    // The wallet submitted it itself, so the asset was not counted yet.
    if (wasSuperseded || transaction.state === 'awaiting_signatures')
      await decrementAssetCount(context.tx, asset.vaultId, -1);
    await recordAssetEvent(context, 'ASSET_ADDED', asset, transaction);
  },
  async rolledBack(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'add_transaction_id', transaction.id);
    if (asset.status === 'RELEASED') return; // A duplicate never counted.
    await changeAssetStatus(context, asset, { status: 'PENDING', direction: 'rollback' });
    await recordAssetEvent(context, 'ASSET_ADD_ROLLED_BACK', asset, transaction);
  },
  async ended(context, transaction, end) {
    const asset = await lockAssetOfTransaction(context.tx, 'add_transaction_id', transaction.id);
    if (asset.status === 'PENDING') await expireAsset(context, asset, transaction, end);
  },
};

/** An asset is RELEASED while the transaction that returned it is on the ledger. */
export const removeAssetConsequences: Consequences = {
  revived: linkRemoval,
  async confirmed(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'remove_transaction_id', transaction.id);
    await changeAssetStatus(context, asset, { status: 'RELEASED', reason: 'removed' });
    await decrementAssetCount(context.tx, asset.vaultId);
    await recordAssetEvent(context, 'ASSET_REMOVED', asset, transaction);
  },
  async rolledBack(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'remove_transaction_id', transaction.id);
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
