import { revisePlan, type Revision, withRevisedShares } from '../../domain/settlement/revision.ts';
import { type Entitlement, vaultEntitlements } from '../../store/entitlements.ts';
import { findPlan, storeRevision } from '../../store/settlements.ts';
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
  const { tx } = context;
  const entitlements = await vaultEntitlements(tx, vault.id);
  if (vault.failedBecause !== null || changed.every(({ depositKind }) => depositKind === 'asset')) return entitlements;
  const input = await storedSettlementInput(tx, vault, entitlements);
  const revised = revisePlan(entitlements, await findPlan(tx, vault.id), input);
  const { missing, revision } = revised;
  await storeRevision(context, vault.id, missing.size === 0 ? null : revision);
  await publishRevision(context, vault.id, missing, revision);
  return withRevisedShares(entitlements, revised);
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
