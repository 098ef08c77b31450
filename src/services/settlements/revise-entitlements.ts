import type { DistributionInput } from '../../domain/settlement/distribution-input.ts';
import { type Revision, reviseSettlement } from '../../domain/settlement/revision.ts';
import { type Entitlement, vaultEntitlements } from '../../store/entitlements.ts';
import { findPlan, type PlanFigures, storeRevision } from '../../store/settlements.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { Vault } from '../../store/vaults.ts';
import { platformEventFields, publish } from '../publish.ts';
import type { DepositRef } from '../../store/transaction-deposits.ts';
import { storedSettlementInput } from './settlement-input.ts';

/**
 * Distributes the ADA of a settlement again after an investment was reclaimed or returned; the planned FT stay (decision of
 * 2026-11-21). Returns the entitlements as they are afterwards.
 */
export async function reviseEntitlements(
  context: TransactionContext,
  vault: Vault,
  changed: readonly DepositRef[],
): Promise<readonly Entitlement[]> {
  const { tx, now } = context;
  const entitlements = await vaultEntitlements(tx, vault.id);
  if (vault.failedBecause !== null || changed.every(({ depositKind }) => depositKind === 'asset')) return entitlements;
  const contributors = entitlements
    .filter(({ depositKind }) => depositKind === 'asset')
    .map(({ depositId, lovelace }) => ({ id: depositId, lovelace }));
  const missing = new Set(
    entitlements
      .filter(({ reclaimed, depositKind }) => reclaimed && depositKind === 'investment')
      .map(({ depositId }) => depositId),
  );
  const input = await storedSettlementInput(tx, vault, entitlements);
  requireAsPlanned(await findPlan(tx, vault.id), input);
  const revision = reviseSettlement(contributors, input, missing);
  await storeRevision(tx, vault.id, missing.size === 0 ? null : revision, now);
  await publishRevision(context, vault.id, missing, revision);
  const shares = missing.size === 0 ? [] : revision.contributors;
  const owed = new Map(shares.map(({ id, lovelace }) => [id, lovelace]));
  return entitlements.map((entitlement) => ({
    ...entitlement,
    owed: owed.get(entitlement.depositId) ?? entitlement.lovelace,
  }));
}

/** Guards the money: a revision starts from exactly the figures of the plan. */
function requireAsPlanned(
  plan: PlanFigures | null,
  { contributors, investors }: Pick<DistributionInput, 'contributors' | 'investors'>,
): void {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  const invested = investors.reduce((sum, investment) => sum + investment.lovelace, 0n);
  if (plan?.value !== value || plan.invested !== invested)
    throw new Error(`planned were ${plan?.value} and ${plan?.invested} lovelace, found ${value} and ${invested}`);
}

async function publishRevision(
  context: TransactionContext,
  vaultId: string,
  missing: ReadonlySet<string>,
  { invested, lpLovelace, contributorsLovelace, contributors }: Revision,
): Promise<void> {
  const data = {
    reclaimedInvestments: [...missing],
    invested: invested.toString(),
    lpLovelace: lpLovelace.toString(),
    contributorsLovelace: contributorsLovelace.toString(),
    contributors: contributors.map(({ id, lovelace }) => ({ assetId: id, lovelace: lovelace.toString() })),
  };
  const event = { type: 'SETTLEMENT_REVISED', ...platformEventFields(vaultId), transactionHash: null, data } as const;
  await publish(context, { event });
}
