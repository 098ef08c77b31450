import { expireAsset, recordAssetArrival, releaseDuplicate, restoreAsset } from '../assets/arriving-assets.ts';
import { recordAssetEvent } from '../assets/asset-events.ts';
import { changeAssetStatus, linkRemoval, setRemoveTransaction } from '../../store/asset-changes.ts';
import { lockAssetOfTransaction, lockAssetReturnedBy } from '../../store/assets.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { EventType } from '../../store/event-types.ts';
import { changeInvestmentStatus, type Investment, lockInvestmentOfTransaction } from '../../store/investments.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { decrementAssetCount } from '../../store/vault-changes.ts';
import { findPlan } from '../../store/settlements.ts';
import { resumeRefunds } from '../vaults/resume-refunds.ts';
import { publish } from '../publish.ts';
import type { Consequences } from './consequences.ts';

/** An asset is LOCKED while the transaction that brought it is on the ledger. */
export const addAssetConsequences: Consequences = {
  revived: returnToVault,
  async confirmed(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'add_transaction_id', transaction.id);
    if (await releaseDuplicate(context, asset, transaction)) return;
    const wasSuperseded = await recordAssetArrival(context, asset);
    // The wallet submitted it itself, so the asset was not counted yet.
    if (wasSuperseded || transaction.state === 'awaiting_signatures')
      await decrementAssetCount(context.tx, asset.vaultId, -1);
    await recordAssetEvent(context, 'ASSET_ADDED', asset, transaction);
  },
  async rolledBack(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'add_transaction_id', transaction.id);
    if (asset.status === 'RELEASED') return; // A duplicate never counted.
    await changeAssetStatus(context, asset, { status: 'PENDING', direction: 'rollback' });
    await recordAssetEvent(context, 'ASSET_ADD_ROLLED_BACK', asset, transaction);
  },
  async ended(context, transaction, end) {
    const asset = await lockAssetOfTransaction(context.tx, 'add_transaction_id', transaction.id);
    if (asset.status === 'PENDING') await expireAsset(context, asset, transaction, end);
  },
};

/** An asset is RELEASED while the transaction that returned it is on the ledger. */
export const removeAssetConsequences: Consequences = {
  revived: linkRemoval,
  async confirmed(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'remove_transaction_id', transaction.id);
    await changeAssetStatus(context, asset, { status: 'RELEASED', reason: 'removed' });
    await decrementAssetCount(context.tx, asset.vaultId);
    await recordAssetEvent(context, 'ASSET_REMOVED', asset, transaction);
  },
  async rolledBack(context, transaction) {
    const asset = await lockAssetOfTransaction(context.tx, 'remove_transaction_id', transaction.id);
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

/** An investment counts while its transaction is on the ledger. */
export const investConsequences: Consequences = {
  async revived(context, transaction) {
    await returnToVault(context, transaction);
    const investment = await lockInvestmentOfTransaction(context.tx, transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'PENDING', direction: 'rollback' });
  },
  async confirmed(context, transaction) {
    const investment = await lockInvestmentOfTransaction(context.tx, transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'CONFIRMED' });
    await publishInvestment(context, 'INVESTMENT_MADE', investment, transaction);
  },
  async rolledBack(context, transaction) {
    const investment = await lockInvestmentOfTransaction(context.tx, transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'PENDING', direction: 'rollback' });
    await publishInvestment(context, 'INVESTMENT_ROLLED_BACK', investment, transaction);
  },
  async ended(context, transaction, end) {
    const investment = await lockInvestmentOfTransaction(context.tx, transaction.id);
    await changeInvestmentStatus(context, investment, { status: 'EXPIRED', reason: end });
    await publishInvestment(context, 'INVESTMENT_EXPIRED', investment, transaction);
  },
};

/**
 * Lets a deposit count that lands after it was given up. Throws when the settlement of its vault was planned without it: an
 * operator decides. A failed vault that has ended returns it.
 */
async function returnToVault(context: TransactionContext, { vaultId, hash }: ChainTransaction): Promise<void> {
  if (vaultId === null) return;
  if ((await findPlan(context.tx, vaultId)) !== null)
    throw new Error(`deposit ${hash} landed after the settlement of vault ${vaultId} was planned`);
  await resumeRefunds(context, vaultId);
}

async function publishInvestment(
  context: TransactionContext,
  type: EventType,
  { id, vaultId, wallet, lovelace }: Investment,
  { hash, ownerWorkflow }: ChainTransaction,
) {
  const data = { investmentId: id, lovelace: lovelace.toString() };
  const event = { type, vaultId, actor: wallet, transactionHash: hash, correlationId: ownerWorkflow, data };
  await publish(context, { event });
}
