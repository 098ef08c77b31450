import { type Asset, changeAssetStatus, findNftInVaults, readAsset, setRemoval } from './assets.ts';
import { type ChainTransaction, lockTransaction, withdraw } from './chain-transactions.ts';
import type { AssetClass } from './prices.ts';
import { type EventType, recordEvent } from './events.ts';
import { changeInvestmentStatus, type Investment, readInvestment } from './investments.ts';
import type { Effects, End, Scene } from './effects.ts';
import { uncountAsset } from './vaults.ts';

/** Locks an asset whose transaction has landed; answers whether it had given way meanwhile to another of its name, which now gives way to it. */
export async function takeIn(scene: Scene, asset: Asset): Promise<boolean> {
  const gaveWay = asset.status === 'RELEASED';
  if (gaveWay) await makeWay(scene, asset);
  await changeAssetStatus(scene.tx, asset, { status: 'LOCKED', ...(gaveWay && { direction: 'rollback' }) }, scene.now);
  return gaveWay;
}

/** An asset is LOCKED while the transaction that brought it is on the ledger. */
export const addAssetEffects: Effects = {
  async confirmed(scene, transaction) {
    const asset = await assetOf(scene, 'add_transaction_id', transaction);
    const gaveWay = await takeIn(scene, asset);
    // Signed and sent by the wallet itself, past us: its place was not taken yet.
    if (gaveWay || transaction.state === 'awaiting_signatures') await uncountAsset(scene.tx, asset.vaultId, -1);
    await tellAsset(scene, 'ASSET_ADDED', asset, transaction);
  },
  async rolledBack(scene, transaction) {
    const asset = await assetOf(scene, 'add_transaction_id', transaction);
    await changeAssetStatus(scene.tx, asset, { status: 'PENDING', direction: 'rollback' }, scene.now);
    await tellAsset(scene, 'ASSET_ADD_ROLLED_BACK', asset, transaction);
  },
  async ended(scene, transaction, end) {
    const asset = await assetOf(scene, 'add_transaction_id', transaction);
    if (asset.status === 'PENDING') await giveUp(scene, asset, transaction, end);
  },
};

/**
 * An attempt to add an asset that gives way to another of the same NFT. Both spend the one UTxO it lies in, so at most one of
 * them lands; it need not be the newer one, as a wallet can send what it signed by itself.
 */
export async function giveWay(scene: Scene, asset: Asset, transaction: ChainTransaction): Promise<void> {
  if (transaction.state === 'awaiting_signatures')
    await withdraw(scene.tx, transaction, 'replaced by another attempt', scene.now);
  await giveUp(scene, asset, transaction, 'expired');
}

/** Lets whatever else says that this very NFT is in a vault, or on its way into one, give way. */
export async function makeWay(scene: Scene, nft: AssetClass): Promise<void> {
  const other = await findNftInVaults(scene.tx, nft);
  // Locked, because a witness that comes in just now takes a place that has to be given back.
  const transaction = other && (await lockTransaction(scene.tx, other.addTransactionId));
  if (transaction) await giveWay(scene, other, transaction);
}

async function giveUp(scene: Scene, asset: Asset, transaction: ChainTransaction, reason: End): Promise<void> {
  await changeAssetStatus(scene.tx, asset, { status: 'RELEASED', reason }, scene.now);
  // An unsigned transaction holds no place (design D16).
  if (transaction.state !== 'awaiting_signatures') await uncountAsset(scene.tx, asset.vaultId);
  await tellAsset(scene, 'ASSET_ADD_EXPIRED', asset, transaction);
}

/** An asset is RELEASED while the transaction that returned it is on the ledger. */
export const removeAssetEffects: Effects = {
  async confirmed(scene, transaction) {
    const asset = await assetOf(scene, 'remove_transaction_id', transaction);
    await changeAssetStatus(scene.tx, asset, { status: 'RELEASED', reason: 'removed' }, scene.now);
    await uncountAsset(scene.tx, asset.vaultId);
    await tellAsset(scene, 'ASSET_REMOVED', asset, transaction);
  },
  async rolledBack(scene, transaction) {
    const asset = await assetOf(scene, 'remove_transaction_id', transaction);
    await changeAssetStatus(scene.tx, asset, { status: 'LOCKED', direction: 'rollback' }, scene.now);
    await uncountAsset(scene.tx, asset.vaultId, -1);
    await tellAsset(scene, 'ASSET_REMOVE_ROLLED_BACK', asset, transaction);
  },
  async ended(scene, transaction) {
    const asset = await assetOf(scene, 'remove_transaction_id', transaction);
    await setRemoval(scene.tx, asset.id, null, scene.now);
    await tellAsset(scene, 'ASSET_REMOVE_EXPIRED', asset, transaction);
  },
};

/** An investment counts while its transaction is on the ledger. */
export const investEffects: Effects = {
  async confirmed(scene, transaction) {
    const investment = await investmentOf(scene, transaction);
    await changeInvestmentStatus(scene.tx, investment, { status: 'CONFIRMED' }, scene.now);
    await tellInvestment(scene, 'INVESTMENT_MADE', investment, transaction);
  },
  async rolledBack(scene, transaction) {
    const investment = await investmentOf(scene, transaction);
    await changeInvestmentStatus(scene.tx, investment, { status: 'PENDING', direction: 'rollback' }, scene.now);
    await tellInvestment(scene, 'INVESTMENT_ROLLED_BACK', investment, transaction);
  },
  async ended(scene, transaction, end) {
    const investment = await investmentOf(scene, transaction);
    await changeInvestmentStatus(scene.tx, investment, { status: 'EXPIRED', reason: end }, scene.now);
    await tellInvestment(scene, 'INVESTMENT_EXPIRED', investment, transaction);
  },
};

async function assetOf(
  { tx }: Scene,
  column: 'add_transaction_id' | 'remove_transaction_id',
  { id }: ChainTransaction,
): Promise<Asset> {
  return readAsset(
    await tx.selectFrom('assets').selectAll().where(column, '=', id).forUpdate().executeTakeFirstOrThrow(),
  );
}

async function investmentOf({ tx }: Scene, { id }: ChainTransaction): Promise<Investment> {
  const query = tx.selectFrom('investments').selectAll().where('transaction_id', '=', id).forUpdate();
  return readInvestment(await query.executeTakeFirstOrThrow());
}

async function tellAsset(
  { tx, ids, now }: Scene,
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
  await recordEvent(tx, ids, event, now);
}

async function tellInvestment(
  { tx, ids, now }: Scene,
  type: EventType,
  { id, vaultId, wallet, lovelace }: Investment,
  { hash, ownerWorkflow }: ChainTransaction,
) {
  const data = { investmentId: id, lovelace: lovelace.toString() };
  const event = { type, vaultId, actor: wallet, transactionHash: hash, correlationId: ownerWorkflow, data };
  await recordEvent(tx, ids, event, now);
}
