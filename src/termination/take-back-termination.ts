import { hasEnded, type TransactionKind } from '../transactions/rules/transaction-state.ts';
import type { Execution } from '../executions/queries/executions.ts';
import { isLiquidated } from '../proposals/queries/proposal-executions.ts';
import { deleteTermination } from './queries/terminations.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { revertLiquidation } from '../vaults/queries/vault-changes.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { endHold } from '../vaults/holds.ts';

/** What moves something of a vault because it ends. */
const endKinds = [
  'gather_pot',
  'hand_over',
  'pay_remainder',
  'close_vault',
  'claim',
] as const satisfies readonly TransactionKind[];

/**
 * Takes back the end that a LIQUIDATE had decided, when that was rolled back after it was final and can no longer land. Once a transaction
 * of the end was made, the end goes on: what was sent cannot be recalled, and the holders have voted for it.
 */
export async function takeBackTermination(
  context: TransactionContext,
  execution: Pick<Execution, 'id' | 'vaultId'>,
): Promise<void> {
  const { tx } = context;
  const { vaultId } = execution;
  const { failedBecause } = await lockVaultRow(tx, vaultId);
  if (failedBecause !== 'liquidated' || (await isLiquidated(tx, vaultId))) return;
  const made = await vaultTransactions(tx, vaultId, endKinds);
  if (made.some(({ state }) => !hasEnded(state))) return;
  await deleteTermination(tx, vaultId);
  await revertLiquidation(context, execution);
  const source = { ...platformEventFields(vaultId), transactionHash: null };
  await publish(context, { event: { type: 'TERMINATION_TAKEN_BACK', ...source, data: {} } });
  // A step may have failed again and again: nothing of it is left to try.
  await endHold(context, vaultId, 'repeated_failures');
}
