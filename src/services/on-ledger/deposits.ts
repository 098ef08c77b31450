import { expireAsset, lockAsset, recordAssetEvent } from '../assets/arriving-assets.ts';
import { type Asset, readAsset } from '../../store/assets.ts';
import { changeAssetStatus, setRemoveTransaction } from '../../store/asset-changes.ts';
import { decrementAssetCount } from '../../store/vault-changes.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { EventType } from '../../store/event-types.ts';
import { recordEvent } from '../../store/events.ts';
import { changeInvestmentStatus, type Investment, readInvestment } from '../../store/investments.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { Consequences } from './consequences.ts';

/** An asset is LOCKED while the transaction that brought it is on the ledger. */
export const addAssetConsequences: Consequences = {
  async confirmed(scene, transaction) {
    const asset = await assetOf(scene, 'add_transaction_id', transaction);
    const gaveWay = await lockAsset(scene, asset);
    // Signed and sent by the wallet itself, past us: its place was not taken yet.
    if (gaveWay || transaction.state === 'awaiting_signatures') await decrementAssetCount(scene.tx, asset.vaultId, -1);
    await recordAssetEvent(scene, 'ASSET_ADDED', asset, transaction);
  },
  async rolledBack(scene, transaction) {
    const asset = await assetOf(scene, 'add_transaction_id', transaction);
    await changeAssetStatus(scene.tx, asset, { status: 'PENDING', direction: 'rollback' }, scene.now);
    await recordAssetEvent(scene, 'ASSET_ADD_ROLLED_BACK', asset, transaction);
  },
  async ended(scene, transaction, end) {
    const asset = await assetOf(scene, 'add_transaction_id', transaction);
    if (asset.status === 'PENDING') await expireAsset(scene, asset, transaction, end);
  },
};

/** An asset is RELEASED while the transaction that returned it is on the ledger. */
export const removeAssetConsequences: Consequences = {
  async confirmed(scene, transaction) {
    const asset = await assetOf(scene, 'remove_transaction_id', transaction);
    await changeAssetStatus(scene.tx, asset, { status: 'RELEASED', reason: 'removed' }, scene.now);
    await decrementAssetCount(scene.tx, asset.vaultId);
    await recordAssetEvent(scene, 'ASSET_REMOVED', asset, transaction);
  },
  async rolledBack(scene, transaction) {
    const asset = await assetOf(scene, 'remove_transaction_id', transaction);
    await changeAssetStatus(scene.tx, asset, { status: 'LOCKED', direction: 'rollback' }, scene.now);
    await decrementAssetCount(scene.tx, asset.vaultId, -1);
    await recordAssetEvent(scene, 'ASSET_REMOVE_ROLLED_BACK', asset, transaction);
  },
  async ended(scene, transaction) {
    const asset = await assetOf(scene, 'remove_transaction_id', transaction);
    await setRemoveTransaction(scene.tx, asset.id, null, scene.now);
    await recordAssetEvent(scene, 'ASSET_REMOVE_EXPIRED', asset, transaction);
  },
};

/** An investment counts while its transaction is on the ledger. */
export const investConsequences: Consequences = {
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
  { tx }: TransactionContext,
  column: 'add_transaction_id' | 'remove_transaction_id',
  { id }: ChainTransaction,
): Promise<Asset> {
  return readAsset(
    await tx.selectFrom('assets').selectAll().where(column, '=', id).forUpdate().executeTakeFirstOrThrow(),
  );
}

async function investmentOf({ tx }: TransactionContext, { id }: ChainTransaction): Promise<Investment> {
  const query = tx.selectFrom('investments').selectAll().where('transaction_id', '=', id).forUpdate();
  return readInvestment(await query.executeTakeFirstOrThrow());
}

async function tellInvestment(
  context: TransactionContext,
  type: EventType,
  { id, vaultId, wallet, lovelace }: Investment,
  { hash, ownerWorkflow }: ChainTransaction,
) {
  const data = { investmentId: id, lovelace: lovelace.toString() };
  const event = { type, vaultId, actor: wallet, transactionHash: hash, correlationId: ownerWorkflow, data };
  await recordEvent(context, event);
}
