import { hasEnded, type TransactionEnd } from '../../domain/transaction/transaction-state.ts';
import { type Asset, findLockedNft, lockAssetsAddedBy, pendingNfts } from '../../store/assets.ts';
import { changeAssetStatus, setReleaseReason } from '../../store/asset-changes.ts';
import { type ChainTransaction, lockTransaction } from '../../store/chain-transactions.ts';
import type { AssetClass } from '../../domain/asset/asset.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { unlist } from '../../store/unsolicited.ts';
import { decrementAssetCount } from '../../store/vault-changes.ts';
import { withdrawByPlatform } from '../transactions/withdraw-by-platform.ts';
import { recordAssetEvent } from './asset-events.ts';

/**
 * Sets an asset whose transaction has landed to LOCKED. Returns whether it had been superseded by another attempt to add the
 * same NFT; that attempt is now superseded instead.
 */
export async function recordAssetArrival(context: TransactionContext, asset: Asset): Promise<boolean> {
  const wasSuperseded = asset.status === 'RELEASED';
  if (wasSuperseded && asset.type === 'NFT') await supersedeConflicting(context, asset);
  await changeAssetStatus(context, asset, { status: 'LOCKED', ...(wasSuperseded && { direction: 'rollback' }) });
  return wasSuperseded;
}

/**
 * Whether this NFT is already in a vault by another transaction on the ledger. That deposit stays, and this one is released as
 * a duplicate: what it brought is unsolicited (design D42). So it remains while a transaction returns it to its owner, even if a
 * rollback has removed the other one: a signed return cannot be called back.
 */
export async function releaseDuplicate(
  context: TransactionContext,
  asset: Asset,
  transaction: ChainTransaction,
): Promise<boolean> {
  const isDuplicate = asset.type === 'NFT' && (await findLockedNft(context.tx, asset)) !== null;
  if (isDuplicate && asset.status === 'PENDING') await expireAsset(context, asset, transaction, 'duplicate');
  else if (isDuplicate) await setReleaseReason(context, asset, 'duplicate');
  else if (asset.releaseReason === 'duplicate')
    return !(await unlist(context.tx, { txHash: transaction.hash, index: asset.depositIndex }));
  return isDuplicate;
}

/** Sets an asset to LOCKED again because the transaction that released it was rolled back, and with it later attempts to add it. */
export async function restoreAsset(context: TransactionContext, asset: Asset): Promise<void> {
  if (asset.type === 'NFT') await supersedeConflicting(context, asset);
  await changeAssetStatus(context, asset, { status: 'LOCKED', direction: 'rollback' });
}

/**
 * Ends an attempt to add an NFT, and whatever its transaction adds besides, in favour of another attempt. Both spend the one UTxO
 * that holds the NFT, so at most one of them lands. This may be the older one, because a wallet can submit what it has signed by
 * itself.
 */
export async function supersede(context: TransactionContext, transaction: ChainTransaction): Promise<void> {
  const isWithdrawn = transaction.error !== null;
  if (transaction.state === 'awaiting_signatures' && !isWithdrawn)
    await withdrawByPlatform(context, transaction, 'replaced by another attempt');
  for (const asset of await lockAssetsAddedBy(context.tx, transaction.id))
    if (asset.status === 'PENDING') await expireAsset(context, asset, transaction, 'expired');
}

/** Supersedes the attempts to add this NFT that are not on the ledger. One that is on the ledger is never given up (design D42). */
export async function supersedeConflicting(context: TransactionContext, nft: AssetClass): Promise<void> {
  for (const other of await pendingNfts(context.tx, nft)) {
    // Locked, because the last signature may count the asset at this moment: that has to be undone.
    const transaction = await lockTransaction(context.tx, other.addTransactionId);
    // If it has ended since `other` was read, its asset was released and counted off by that.
    if (transaction && !hasEnded(transaction.state)) await supersede(context, transaction);
  }
}

/** Releases an asset whose transaction to add it can no longer land, or must not count. */
export async function expireAsset(
  context: TransactionContext,
  asset: Asset,
  transaction: ChainTransaction,
  reason: TransactionEnd | 'duplicate',
): Promise<void> {
  await changeAssetStatus(context, asset, { status: 'RELEASED', reason });
  // An unsigned transaction does not count towards the vault's assets (design D16).
  if (transaction.state !== 'awaiting_signatures') await decrementAssetCount(context.tx, asset.vaultId);
  await recordAssetEvent(context, 'ASSET_ADD_EXPIRED', asset, transaction);
}
