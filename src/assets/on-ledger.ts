import {
  changeAssetStatus,
  linkRemoval,
  setRemoveTransaction,
  type Asset,
  lockAssetReturnedBy,
  lockAssetsAddedBy,
  findLockedNft,
  pendingNfts,
  setReleaseReason,
  lockAssetRows,
} from './queries/assets.ts';
import { type AssetClass, isUnsolicited, type UnsolicitedReason } from './rules/asset.ts';
import { publish } from '../events/publish.ts';
import type { EventTypeLike } from '../events/queries/event-data.ts';
import { returnToVault } from '../executions/return-to-vault.ts';
import type { TransactionEffects } from '../ledger-follower/effects/transaction-effects.ts';
import { unlist } from '../ledger-follower/queries/unsolicited.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { type ChainTransaction, lockTransaction } from '../transactions/queries/transactions.ts';
import { hasEnded, type TransactionEnd } from '../transactions/rules.ts';
import { withdrawByPlatform } from '../transactions/withdraw-by-platform.ts';
import { decrementAssetCount, addToAssetCount } from '../vaults/queries/vault-changes.ts';

/** An asset is LOCKED while the transaction that brought it is on the ledger. A transaction may bring several. */
export const addAssetEffects: TransactionEffects = {
  revived: returnToVault,
  async confirmed(context, transaction) {
    for (const asset of await addedAssets(context, transaction)) {
      if (!(await reserveSlot(context, asset, transaction))) continue;
      await recordAssetConfirmation(context, asset);
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
export const removeAssetEffects: TransactionEffects = {
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

/**
 * Sets an asset whose transaction has been confirmed to LOCKED. Returns whether it had been superseded by another attempt to add the
 * same NFT; that attempt is now superseded instead.
 */
export async function recordAssetConfirmation(context: TransactionContext, asset: Asset): Promise<boolean> {
  const wasSuperseded = asset.status === 'RELEASED';
  if (wasSuperseded && asset.type === 'NFT') await supersedeConflicting(context, asset);
  await changeAssetStatus(context, asset, { status: 'LOCKED', ...(wasSuperseded && { direction: 'rollback' }) });
  return wasSuperseded;
}

/**
 * Takes a place of the vault for an asset that has been confirmed without one. Returns false for an asset that cannot count: this NFT is already in a
 * vault by another transaction on the ledger (design D42), or its wallet sent it when the vault was full (design D16). It is released, and
 * what it brought is unsolicited. So it remains while a transaction returns it to its owner, even if a rollback has removed the other one:
 * a signed return cannot be called back.
 */
async function reserveSlot(context: TransactionContext, asset: Asset, transaction: ChainTransaction): Promise<boolean> {
  const reason = await refusalOf(context, asset, transaction);
  if (reason === null && !isUnsolicited(asset)) return true;
  if (reason === null) {
    const isTaken = await unlist(context.tx, { txHash: transaction.hash, index: asset.depositIndex });
    if (!isTaken) await decrementAssetCount(context.tx, asset.vaultId);
    return isTaken;
  }
  if (asset.status === 'PENDING') await expireAsset(context, asset, transaction, reason);
  else await setReleaseReason(context, asset, reason);
  return false;
}

async function refusalOf(
  context: TransactionContext,
  asset: Asset,
  { state }: ChainTransaction,
): Promise<UnsolicitedReason | null> {
  const { tx } = context;
  // Attempts that are not on the ledger exclude nothing, so that a rollback can always restore an asset.
  if (asset.type === 'NFT' && (await findLockedNft(tx, asset)) !== null) return 'duplicate';
  // What its wallet has sent itself was not counted yet, and what was given up is not counted any more.
  const hasPlace = asset.status !== 'RELEASED' && state !== 'awaiting_signatures';
  // Attempts that it ends may have the last place.
  if (asset.status === 'RELEASED' && asset.type === 'NFT') await supersedeConflicting(context, asset);
  return hasPlace || (await addToAssetCount(tx, asset.vaultId, 1)) ? null : 'vault_full';
}

/** Sets an asset to LOCKED again because the transaction that released it was rolled back, and with it later attempts to add it. */
export async function restoreAsset(context: TransactionContext, asset: Asset): Promise<void> {
  if (asset.type === 'NFT') await supersedeConflicting(context, asset);
  await changeAssetStatus(context, asset, { status: 'LOCKED', direction: 'rollback' });
}

/**
 * Ends an attempt to add an NFT, and whatever its transaction adds besides, in favour of another attempt. Both spend the one UTxO
 * that holds the NFT, so at most one of them is confirmed. This may be the older one, because a wallet can submit what it has signed by
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

/** Releases an asset whose transaction to add it can no longer be confirmed, or must not count. */
async function expireAsset(
  context: TransactionContext,
  asset: Asset,
  transaction: ChainTransaction,
  reason: TransactionEnd | UnsolicitedReason,
): Promise<void> {
  await changeAssetStatus(context, asset, { status: 'RELEASED', reason });
  // An unsigned transaction does not count towards the vault's assets (design D16).
  if (transaction.state !== 'awaiting_signatures') await decrementAssetCount(context.tx, asset.vaultId);
  await recordAssetEvent(context, 'ASSET_ADD_EXPIRED', asset, transaction);
}

/** Sets assets that have left their vault for somebody else to RELEASED. */
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

/** Sets assets to LOCKED again whose departure was rolled back. */
export async function restoreAssets(context: TransactionContext, assetIds: readonly string[]): Promise<void> {
  for (const asset of await lockAssetRows(context.tx, assetIds)) {
    // Its recipient may have added it to a vault: that transaction depends on the departure and left the ledger with it.
    await restoreAsset(context, asset);
    await decrementAssetCount(context.tx, asset.vaultId, -1);
  }
}

/** Publishes what a transaction did to an asset. */
async function recordAssetEvent(
  context: TransactionContext,
  type: EventTypeLike<'ASSET_ADDED'>,
  asset: Asset,
  { hash: transactionHash, ownerWorkflow: correlationId }: ChainTransaction,
): Promise<void> {
  const { id: assetId, vaultId, owner: actor, type: assetType, policyId, assetName, quantity } = asset;
  const data = { assetId, assetType, policyId, assetName, quantityBaseUnits: quantity.toString() };
  await publish(context, { event: { type, vaultId, actor, transactionHash, correlationId, data } });
}
