import { requireAsPlanned, type Revision, reviseSettlement } from './rules/revision.ts';
import { contributorEntitlements } from './queries/entitlements.ts';
import { plannedInvestments } from '../investments/queries/settlement-sums.ts';
import { findPlan, storeRevision } from './queries/settlements.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import type { DepositRef } from '../transactions/queries/transaction-deposits.ts';
import { storedContributions } from './settlement-input.ts';

/**
 * Distributes the ADA of a settlement again after an investment was reclaimed or returned; the planned FT stay (decision of
 * 2026-11-21).
 */
export async function reviseEntitlements(
  context: TransactionContext,
  vault: Vault,
  changed: readonly DepositRef[],
): Promise<void> {
  const { tx } = context;
  if (vault.failedBecause !== null || changed.every(({ depositKind }) => depositKind === 'asset')) return;
  const contributors = await contributorEntitlements(tx, vault.id);
  const { planned, kept, reclaimed } = await plannedInvestments(tx, vault.id);
  const contributions = await storedContributions(tx, vault, contributors);
  requireAsPlanned(await findPlan(tx, vault.id), contributions, planned);
  const shares = contributors.map(({ depositId: id, lovelace }) => ({ id, lovelace }));
  const revision = reviseSettlement(shares, { ...vault.terms, contributors: contributions }, kept);
  await storeRevision(context, vault.id, reclaimed.length === 0 ? null : revision);
  await publishRevision(context, vault.id, reclaimed, revision);
}

async function publishRevision(
  context: TransactionContext,
  vaultId: string,
  reclaimed: readonly string[],
  { invested, lpLovelace, contributorsLovelace, contributors }: Revision,
): Promise<void> {
  const data = {
    reclaimedInvestments: reclaimed,
    invested: invested.toString(),
    lpLovelace: lpLovelace.toString(),
    contributorsLovelace: contributorsLovelace.toString(),
    contributors: contributors.map(({ id, lovelace }) => ({ assetId: id, lovelace: lovelace.toString() })),
  };
  const event = { type: 'SETTLEMENT_REVISED', ...platformEventFields(vaultId), transactionHash: null, data } as const;
  await publish(context, { event });
}
