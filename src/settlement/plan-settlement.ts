import { distributeToCounted } from './rules/counted-deposits.ts';
import type { DistributionFailure } from './rules/distribution.ts';
import type { Instant } from '../platform/units/instant.ts';
import { refundReasonOf } from '../vaults/rules/vault.ts';
import type { WindowKind } from '../vaults/rules/window.ts';
import { closeFence } from '../platform/database/fences.ts';
import { setCountedValues } from '../prices/queries/asset-prices.ts';
import { setReturnReasons } from './queries/returned-deposits.ts';
import { findPlan, storePlan } from './queries/settlements.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { setFailureReason } from '../vaults/queries/vault-changes.ts';
import { getVault } from '../vaults/queries/vaults.ts';
import { getWindows } from '../vaults/queries/windows.ts';
import type { Failure } from '../platform/temporal/activity-types.ts';
import type { ServiceContext } from '../context.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { endHold } from '../vaults/holds.ts';
import { vaultFailed } from '../vaults/vault-failed.ts';
import { transitionWindow } from '../vaults/transitions.ts';
import { settlementInput } from './settlement-input.ts';

/** Computes and stores the plan of a vault's settlement (design D13); returns why there is none when the vault fails. */
export function planSettlement(
  { unitOfWork, lpMinimum }: Pick<ServiceContext, 'unitOfWork' | 'lpMinimum'>,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Failure | null> {
  return unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    await closeFence(tx, `vault:${vaultId}`);
    const vault = await getVault(tx, vaultId);
    const reason = refundReasonOf(vault.failedBecause);
    if (reason !== null) return { reason };
    if ((await findPlan(tx, vaultId)) !== null) return null;
    // Planning that has failed until T cannot keep the deposits any longer (design D46).
    if (now >= vault.settlesBy) return { reason: 'settlement_deadline' };

    const input = await settlementInput(tx, vault, lpMinimum);
    const plan = distributeToCounted(input);
    if (plan.kind === 'fails') {
      await failPlanning(context, vaultId, plan.reason);
      return { reason: plan.reason };
    }
    const { counted, ...stored } = plan;
    await storePlan(context, vaultId, stored);
    await setReturnReasons(context, plan.returned);
    await setCountedValues(tx, counted);
    const data = { value: plan.value.toString(), invested: plan.invested.toString(), fdv: plan.fdv.toString() };
    const event = { type: 'SETTLEMENT_PLANNED', transactionHash: null, data, ...platformEventFields(vaultId) } as const;
    await publish(context, { event });
    await endHold(context, vaultId, 'repeated_failures');
    return null;
  });
}

/** The window that has failed when a distribution fails (design D7). */
const failedWindows: Record<DistributionFailure, WindowKind> = {
  no_assets: 'asset',
  reserve_not_reached: 'investment',
  lp_below_minimum: 'investment',
};

async function failPlanning(context: TransactionContext, vaultId: string, reason: DistributionFailure): Promise<void> {
  const { tx } = context;
  const window = (await getWindows(tx, vaultId))[failedWindows[reason]];
  if (window.status !== 'FAILED') await transitionWindow(context, vaultId, window, 'FAILED');
  if (await setFailureReason(context, vaultId, reason)) await publish(context, vaultFailed(vaultId, reason));
}
