import { changeAssetStatus } from '../../../store/asset-changes.ts';
import { lockAssetRows } from '../../../store/assets.ts';
import { decrementAssetCount } from '../../../store/vault-changes.ts';
import { supersedeConflicting } from '../../assets/arriving-assets.ts';
import type { ExecutionEffect } from './effect.ts';

/** Sold assets are RELEASED. */
export const assetSale: ExecutionEffect = {
  async apply({ tx, now }, { effect, vaultId }) {
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      await changeAssetStatus(tx, asset, { status: 'RELEASED', reason: 'sold' }, now);
      await decrementAssetCount(tx, vaultId);
    }
  },

  async undo(context, { effect, vaultId }) {
    const { tx, now } = context;
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      // The buyer may have added it to a vault: that transaction depends on the sale and left the ledger with it.
      if (asset.type === 'NFT') await supersedeConflicting(context, asset);
      await changeAssetStatus(tx, asset, { status: 'LOCKED', direction: 'rollback' }, now);
      await decrementAssetCount(tx, vaultId, -1);
    }
  },
};
