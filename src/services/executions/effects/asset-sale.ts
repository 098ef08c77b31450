import { changeAssetStatus } from '../../../store/asset-changes.ts';
import { lockAssetRows } from '../../../store/assets.ts';
import { decrementAssetCount } from '../../../store/vault-changes.ts';
import { changePot, lockTermination } from '../../../store/terminations.ts';
import { getVault } from '../../../store/vaults.ts';
import { restoreAsset } from '../../assets/arriving-assets.ts';
import type { ExecutionEffect } from './execution-effect.ts';

/** Sold assets are RELEASED. The price of a sale while claims run is in the pot once it is final. */
export const assetSale: ExecutionEffect = {
  async apply(context, { effect, vaultId }) {
    const { tx } = context;
    for (const asset of await lockAssetRows(tx, effect.assetIds)) {
      await changeAssetStatus(context, asset, { status: 'RELEASED', reason: 'sold' });
      await decrementAssetCount(tx, vaultId);
    }
  },

  async final({ tx }, { vaultId }, { outputs: [proceeds] }) {
    const termination = await lockTermination(tx, vaultId);
    const { contractAddress } = await getVault(tx, vaultId);
    // One that was sent before the end began has brought its price to custody, from where it was gathered.
    if (!termination || proceeds === undefined || proceeds.address === contractAddress) return;
    await changePot(tx, vaultId, { lovelace: proceeds.lovelace });
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
