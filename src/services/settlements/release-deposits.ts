import { changeAssetStatus } from '../../store/asset-changes.ts';
import { lockAssetRow } from '../../store/assets.ts';
import { restoreAsset } from '../assets/arriving-assets.ts';
import type { DepositRef } from '../../store/transaction-deposits.ts';
import { decrementAssetCount } from '../../store/vault-changes.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { changeInvestmentStatus, type InvestmentChange, lockInvestment } from '../../store/investments.ts';

/** Records that a deposit is back with its owner; the reason of a refund is that of the settlement, if it has one. Throws INVALID_TRANSITION. */
export async function releaseDeposit(
  context: TransactionContext,
  { depositId, depositKind }: DepositRef,
  reason: 'refunded' | 'reclaimed',
): Promise<void> {
  const isRefund = reason === 'refunded';
  if (depositKind === 'investment') {
    await releaseInvestment(context, depositId, reason);
    return;
  }
  const asset = await lockAssetRow(context.tx, depositId);
  if (!asset) return;
  const refundReason = asset.returnReason ?? reason;
  await changeAssetStatus(context, asset, { status: 'RELEASED', reason: isRefund ? refundReason : reason });
  // The vault goes on without it.
  if (!isRefund || asset.returnReason !== null) await decrementAssetCount(context.tx, asset.vaultId);
}

async function releaseInvestment(
  context: TransactionContext,
  investmentId: string,
  reason: 'refunded' | 'reclaimed',
): Promise<void> {
  const investment = await lockInvestment(context.tx, investmentId);
  if (!investment) return;
  const refundReason = investment.returnReason ?? reason;
  await changeInvestmentStatus(context, investment, {
    status: 'REFUNDED',
    reason: reason === 'refunded' ? refundReason : reason,
  });
}

/** Records that a deposit is in its vault again, because its return was rolled back. Throws INVALID_TRANSITION. */
export async function restoreDeposit(
  context: TransactionContext,
  { depositId, depositKind }: DepositRef,
): Promise<void> {
  if (depositKind === 'investment') {
    await moveInvestment(context, depositId, { status: 'CONFIRMED', direction: 'rollback' });
    return;
  }
  const asset = await lockAssetRow(context.tx, depositId);
  if (!asset) return;
  await restoreAsset(context, asset);
  if (asset.releaseReason === 'reclaimed' || asset.returnReason !== null)
    await decrementAssetCount(context.tx, asset.vaultId, -1);
}

/** Moves an investment to another status. Throws INVALID_TRANSITION. */
export async function moveInvestment(
  context: TransactionContext,
  investmentId: string,
  change: InvestmentChange,
): Promise<void> {
  const { tx } = context;
  const investment = await lockInvestment(tx, investmentId);
  if (investment) await changeInvestmentStatus(context, investment, change);
}
