import type { DistributionInput } from '../../domain/settlement/distribution.ts';
import { reviseSettlement } from '../../domain/settlement/revision.ts';
import { type DepositRef, releaseDeposit, restoreDeposit } from './release-deposits.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { recordEvent } from '../../store/events.ts';
import { storedSettlementInput } from './settlement-input.ts';
import { vaultEntitlements } from '../../store/entitlements.ts';
import { findPlan, type PlanFigures, storeRevision } from '../../store/settlements.ts';
import { platformEventFields } from '../publish.ts';
import { lockVaultRow, type Vault } from '../../store/vaults.ts';

/** A deposit that its owner has taken back alone after T, by a transaction of his own (design D20). */
export interface Reclaim extends DepositRef {
  readonly owner: string;
  readonly transactionHash: string;
}

/** Puts down deposits that owners have taken back, and what that changes in a settlement that is under way. */
export async function recordReclaims(
  scene: TransactionContext,
  vaultId: string,
  reclaims: readonly Reclaim[],
): Promise<void> {
  const vault = await lockVaultRow(scene.tx, vaultId);
  for (const reclaim of reclaims) {
    await releaseDeposit(scene, reclaim, 'reclaimed');
    await tell(scene, 'DEPOSIT_RECLAIMED', vaultId, reclaim, reclaim.transactionHash);
  }
  await storeRevised(scene, vault, reclaims);
}

/** Undoes what `recordReclaims` did for deposits that lie in the vault again, as the ledger was rolled back. */
export async function undoReclaims(
  scene: TransactionContext,
  vaultId: string,
  deposits: readonly Omit<Reclaim, 'transactionHash'>[],
): Promise<void> {
  const vault = await lockVaultRow(scene.tx, vaultId);
  for (const deposit of deposits) {
    await restoreDeposit(scene, deposit);
    await tell(scene, 'DEPOSIT_RECLAIM_ROLLED_BACK', vaultId, deposit, null);
  }
  await storeRevised(scene, vault, deposits);
}

/** The plan stands for FT; the ADA is shared anew when an investment is gone or back (decision of 2026-11-21). */
async function storeRevised(scene: TransactionContext, vault: Vault, changed: readonly DepositRef[]): Promise<void> {
  if (vault.failedBecause !== null || changed.every(({ depositKind }) => depositKind === 'asset')) return;
  const { tx, ids, now } = scene;
  const entitlements = await vaultEntitlements(tx, vault.id);
  const reclaimed = entitlements.filter(({ reclaimed: gone, depositKind }) => gone && depositKind === 'investment');
  const contributors = entitlements
    .filter(({ depositKind }) => depositKind === 'asset')
    .map(({ depositId, lovelace }) => ({ id: depositId, lovelace }));
  const missing = new Set(reclaimed.map(({ depositId }) => depositId));
  const input = await storedSettlementInput(tx, vault, entitlements);
  assertAsPlanned(await findPlan(tx, vault.id), input);
  const revision = reviseSettlement(contributors, input, missing);
  await storeRevision(tx, vault.id, missing.size === 0 ? null : revision, now);

  const data = {
    reclaimedInvestments: [...missing],
    invested: revision.invested.toString(),
    lpLovelace: revision.lpLovelace.toString(),
    contributorsLovelace: revision.contributorsLovelace.toString(),
    contributors: revision.contributors.map(({ id, lovelace }) => ({ assetId: id, lovelace: lovelace.toString() })),
  };
  await recordEvent(
    { tx, ids, now },
    { type: 'SETTLEMENT_REVISED', ...platformEventFields(vault.id), transactionHash: null, data },
  );
}

/** Guards the money: a revision starts from exactly what the plan was made from. */
function assertAsPlanned(
  plan: PlanFigures | null,
  { contributors, investors }: Pick<DistributionInput, 'contributors' | 'investors'>,
): void {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  const invested = investors.reduce((sum, investment) => sum + investment.lovelace, 0n);
  if (plan?.value !== value || plan.invested !== invested)
    throw new Error(`planned were ${plan?.value} and ${plan?.invested} lovelace, found ${value} and ${invested}`);
}

async function tell(
  context: TransactionContext,
  type: 'DEPOSIT_RECLAIMED' | 'DEPOSIT_RECLAIM_ROLLED_BACK',
  vaultId: string,
  { depositId, depositKind, owner }: Omit<Reclaim, 'transactionHash'>,
  transactionHash: string | null,
): Promise<void> {
  const event = { ...platformEventFields(vaultId), actor: owner, transactionHash, data: { depositId, depositKind } };
  await recordEvent(context, { type, ...event });
}
