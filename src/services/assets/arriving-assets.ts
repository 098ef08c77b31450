import type { TransactionEnd } from '../../domain/transaction/transaction-state.ts';
import { type Asset, findNftInVaults } from '../../store/assets.ts';
import { changeAssetStatus } from '../../store/asset-changes.ts';
import { type ChainTransaction, lockTransaction } from '../../store/chain-transactions.ts';
import { withdraw } from '../../store/transaction-changes.ts';
import { decrementAssetCount } from '../../store/vault-changes.ts';
import type { EventType } from '../../store/event-types.ts';
import { recordEvent } from '../../store/events.ts';
import type { AssetClass } from '../../store/prices.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';

/** Locks an asset whose transaction has landed; answers whether it had given way meanwhile to another of its name, which now gives way to it. */
export async function lockAsset(scene: TransactionContext, asset: Asset): Promise<boolean> {
  const gaveWay = asset.status === 'RELEASED';
  if (gaveWay) await supersedeConflicting(scene, asset);
  await changeAssetStatus(scene.tx, asset, { status: 'LOCKED', ...(gaveWay && { direction: 'rollback' }) }, scene.now);
  return gaveWay;
}

/**
 * An attempt to add an asset that gives way to another of the same NFT. Both spend the one UTxO it lies in, so at most one of
 * them lands; it need not be the newer one, as a wallet can send what it signed by itself.
 */
export async function supersede(scene: TransactionContext, asset: Asset, transaction: ChainTransaction): Promise<void> {
  const isWithdrawn = transaction.error !== null;
  if (transaction.state === 'awaiting_signatures' && !isWithdrawn)
    await withdraw(scene, transaction, 'replaced by another attempt');
  await expireAsset(scene, asset, transaction, 'expired');
}

/** Lets whatever else says that this very NFT is in a vault, or on its way into one, give way. */
export async function supersedeConflicting(scene: TransactionContext, nft: AssetClass): Promise<void> {
  const other = await findNftInVaults(scene.tx, nft);
  // Locked, because a witness that comes in just now takes a place that has to be given back.
  const transaction = other && (await lockTransaction(scene.tx, other.addTransactionId));
  if (transaction) await supersede(scene, other, transaction);
}

/** Ends an attempt to add an asset, whose transaction can land no more or must not. */
export async function expireAsset(
  scene: TransactionContext,
  asset: Asset,
  transaction: ChainTransaction,
  reason: TransactionEnd,
): Promise<void> {
  await changeAssetStatus(scene.tx, asset, { status: 'RELEASED', reason }, scene.now);
  // An unsigned transaction holds no place (design D16).
  if (transaction.state !== 'awaiting_signatures') await decrementAssetCount(scene.tx, asset.vaultId);
  await recordAssetEvent(scene, 'ASSET_ADD_EXPIRED', asset, transaction);
}

/** Tells what a transaction did with an asset. */
export async function recordAssetEvent(
  context: TransactionContext,
  type: EventType,
  asset: Asset,
  { hash, ownerWorkflow }: ChainTransaction,
) {
  const { id: assetId, type: assetType, policyId, assetName, quantity } = asset;
  const data = { assetId, assetType, policyId, assetName, quantityBaseUnits: quantity.toString() };
  const event = {
    type,
    vaultId: asset.vaultId,
    actor: asset.owner,
    transactionHash: hash,
    correlationId: ownerWorkflow,
    data,
  };
  await recordEvent(context, event);
}
