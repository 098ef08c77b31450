import { ServiceError } from '../platform/errors.ts';
import { lockAssetsAddedBy } from './queries/assets.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import type { Transaction } from '../platform/database/database.ts';
import { addToAssetCount } from '../vaults/queries/vault-changes.ts';

/** Counts the assets of a signed transaction towards their vault, all or none (design D16). */
export async function countSignedAssets(tx: Transaction, { id }: Pick<ChainTransaction, 'id'>): Promise<void> {
  const assets = await lockAssetsAddedBy(tx, id);
  const [vaultId] = assets.map((asset) => asset.vaultId);
  if (vaultId !== undefined && !(await addToAssetCount(tx, vaultId, assets.length)))
    throw new ServiceError('MAX_ASSETS_REACHED');
}
