import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { lockVaultRow } from './queries/vaults.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';

/**
 * Wakes the workflow of a failed vault, or starts it again when it has ended: a deposit is in the vault that it has to return. Locks
 * the vault, so that it does not end without having seen the deposit.
 */
export async function resumeRefunds(context: TransactionContext, vaultId: string): Promise<void> {
  const { status, failedBecause } = await lockVaultRow(context.tx, vaultId);
  if (status !== 'TERMINATED' && failedBecause === null) return;
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), message);
}
