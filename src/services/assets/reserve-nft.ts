import { ServiceError } from '../../domain/errors.ts';
import { findNftInVaults } from '../../store/assets.ts';
import { lockTransaction } from '../../store/chain-transactions.ts';
import { supersede } from './arriving-assets.ts';
import { closeFence } from '../../store/fences.ts';
import type { AssetClass } from '../../domain/asset/asset.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';

/**
 * Makes sure that this NFT is in no vault, and keeps others from adding it until the unit of work ends. An attempt that nobody
 * has signed reserves nothing (design D16): it is superseded. Throws ASSET_ALREADY_IN_VAULT.
 */
export async function reserveNft(context: TransactionContext, nft: AssetClass): Promise<void> {
  const { tx } = context;
  await closeFence(tx, `asset:${nft.policyId}${nft.assetName}`);
  const known = await findNftInVaults(tx, nft);
  if (!known) return;
  const transaction = await lockTransaction(tx, known.addTransactionId);
  if (transaction?.state === 'expired' || transaction?.state === 'failed') return; // It ended since `known` was read.
  if (transaction?.state !== 'awaiting_signatures') {
    throw new ServiceError('ASSET_ALREADY_IN_VAULT', { policyId: nft.policyId, assetName: nft.assetName });
  }
  await supersede(context, known, transaction);
}
