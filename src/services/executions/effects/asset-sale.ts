import { changeAssetStatus } from '../../../store/asset-changes.ts';
import { lockAssetRows } from '../../../store/assets.ts';
import { decrementAssetCount } from '../../../store/vault-changes.ts';
import { restoreAsset } from '../../assets/arriving-assets.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** Sold assets are RELEASED. */
export const assetSale: ExecutionEffect = {
  async apply(context, { effect, vaultId }) {
    const { tx } = context;
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      await changeAssetStatus(context, asset, { status: 'RELEASED', reason: 'sold' });
      await decrementAssetCount(tx, vaultId);
    }
  },

  async undo(context, { effect, vaultId }) {
    const { tx } = context;
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      // The buyer may have added it to a vault: that transaction depends on the sale and left the ledger with it.
      await restoreAsset(context, asset);
      await decrementAssetCount(tx, vaultId, -1);
    }
  },
};
