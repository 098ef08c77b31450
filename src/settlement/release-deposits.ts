import { changeAssetStatus, lockAssetRow } from '../assets/queries/assets.ts';
import { restoreAsset } from '../assets/on-ledger.ts';
import type { DepositRef } from '../transactions/queries/recorded-transactions.ts';
import { decrementAssetCount } from '../vaults/queries/vault-changes.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import {
  changeInvestmentStatuses,
  type Investment,
  type InvestmentChange,
  lockInvestments,
} from '../investments/queries/investments.ts';
import type { DepositKind } from './rules/deposits.ts';

/** Records that deposits are back with their owners; the reason of a refund is that of the settlement, if it has one. */
export async function releaseDeposits(
  context: TransactionContext,
  deposits: readonly DepositRef[],
  reason: 'refunded' | 'reclaimed',
): Promise<void> {
  for (const assetId of idsOf(deposits, 'asset')) await releaseAsset(context, assetId, reason);
  const investments = await lockInvestments(context.tx, idsOf(deposits, 'investment'));
  const reasonOf = ({ returnReason }: Investment) => (reason === 'refunded' ? (returnReason ?? reason) : reason);
  for (const [because, alike] of Map.groupBy(investments, reasonOf))
    await changeInvestmentStatuses(context, alike, { status: 'REFUNDED', reason: because });
}

async function releaseAsset(context: TransactionContext, assetId: string, reason: 'refunded' | 'reclaimed') {
  const isRefund = reason === 'refunded';
  const asset = await lockAssetRow(context.tx, assetId);
  if (!asset) return;
  const refundReason = asset.returnReason ?? reason;
  await changeAssetStatus(context, asset, { status: 'RELEASED', reason: isRefund ? refundReason : reason });
  // The vault continues without it.
  if (!isRefund || asset.returnReason !== null) await decrementAssetCount(context.tx, asset.vaultId);
}

/** Records that deposits are in their vault again, because their return was rolled back. */
export async function restoreDeposits(context: TransactionContext, deposits: readonly DepositRef[]): Promise<void> {
  for (const assetId of idsOf(deposits, 'asset')) {
    const asset = await lockAssetRow(context.tx, assetId);
    if (!asset) continue;
    await restoreAsset(context, asset);
    if (asset.releaseReason === 'reclaimed' || asset.returnReason !== null)
      await decrementAssetCount(context.tx, asset.vaultId, -1);
  }
  await moveInvestments(context, deposits, { status: 'CONFIRMED', direction: 'rollback' });
}

/** Moves the investments among deposits to another status. */
export async function moveInvestments(
  context: TransactionContext,
  deposits: readonly DepositRef[],
  change: InvestmentChange,
): Promise<void> {
  const investments = await lockInvestments(context.tx, idsOf(deposits, 'investment'));
  await changeInvestmentStatuses(context, investments, change);
}

function idsOf(deposits: readonly DepositRef[], kind: DepositKind): string[] {
  return deposits.filter(({ depositKind }) => depositKind === kind).map(({ depositId }) => depositId);
}
