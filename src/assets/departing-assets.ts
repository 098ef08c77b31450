import { changeAssetStatus } from './queries/asset-changes.ts';
import { lockAssetRows } from './queries/assets.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { decrementAssetCount } from '../vaults/queries/vault-changes.ts';
import { restoreAsset } from './arriving-assets.ts';

/** Sets assets that have left their vault for somebody else to RELEASED. Throws INVALID_TRANSITION. */
export async function releaseAssets(
  context: TransactionContext,
  assetIds: readonly string[],
  reason: 'sold' | 'handed_over',
): Promise<void> {
  for (const asset of await lockAssetRows(context.tx, assetIds)) {
    await changeAssetStatus(context, asset, { status: 'RELEASED', reason });
    await decrementAssetCount(context.tx, asset.vaultId);
  }
}

/** Sets assets to LOCKED again whose departure was rolled back. Throws INVALID_TRANSITION. */
export async function restoreAssets(context: TransactionContext, assetIds: readonly string[]): Promise<void> {
  for (const asset of await lockAssetRows(context.tx, assetIds)) {
    // Its recipient may have added it to a vault: that transaction depends on the departure and left the ledger with it.
    await restoreAsset(context, asset);
    await decrementAssetCount(context.tx, asset.vaultId, -1);
  }
}
