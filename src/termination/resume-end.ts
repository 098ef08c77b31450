import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { transitionVault } from '../vaults/transitions.ts';

/** Goes on with the end of a settled vault, also if that was TERMINATED: a rollback has undone a part of it that can never land again. */
export async function resumeEnd(context: TransactionContext, vaultId: string): Promise<void> {
  const vault = await lockVaultRow(context.tx, vaultId);
  if (vault.status === 'TERMINATED') await transitionVault(context, vault, { status: 'LOCKED', direction: 'rollback' });
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), message);
}
