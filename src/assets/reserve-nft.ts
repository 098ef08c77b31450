import { type AssetClass, type AssetType, unitOf } from './rules/asset.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { lockTransaction } from '../transactions/queries/chain-transactions.ts';
import { lockNft } from './queries/deposit-locks.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { supersede } from './arriving-assets.ts';

/**
 * As `reserveNft` for those of these assets that are NFTs, in one order for all requests, so that no two of them wait for each other.
 * Throws ASSET_ALREADY_IN_VAULT for the asset at its position.
 */
export async function reserveNfts(
  context: TransactionContext,
  assets: readonly (AssetClass & { readonly type: AssetType })[],
  wallet: string,
  errorAt: (cause: unknown, position: number) => unknown,
): Promise<void> {
  const nfts = [...assets.entries()].filter(([, { type }]) => type === 'NFT');
  const inOrder = nfts.toSorted(([, one], [, other]) => (unitOf(one) < unitOf(other) ? -1 : 1));
  for (const [position, nft] of inOrder) {
    try {
      await reserveNft(context, nft, wallet);
    } catch (cause) {
      throw errorAt(cause, position);
    }
  }
}

/**
 * Makes sure that this NFT is in no vault, and keeps others from adding it until the unit of work ends. An attempt that nobody
 * has signed reserves nothing (design D16): one of the same wallet is superseded. One of another wallet stays: anybody can name the
 * UTxO of an NFT that is not theirs, and the signature of its key decides which attempt goes on. Throws ASSET_ALREADY_IN_VAULT.
 */
export async function reserveNft(context: TransactionContext, nft: AssetClass, wallet: string): Promise<void> {
  const { policyId, assetName } = nft;
  const claimed = await lockNft(context.tx, nft);
  const taken = () => new ServiceError('ASSET_ALREADY_IN_VAULT', { policyId, assetName });
  if (claimed.some(({ status }) => status === 'LOCKED')) throw taken();
  for (const known of claimed) {
    const transaction = await lockTransaction(context.tx, known.addTransactionId);
    if (transaction?.state === 'expired' || transaction?.state === 'failed') continue; // It ended since `known` was read.
    if (transaction?.state !== 'awaiting_signatures') throw taken();
    if (transaction.wallet === wallet) await supersede(context, transaction);
  }
}
