import type { TransactionContext } from '../../store/transaction-context.ts';
import { getVault } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';

/** Starts the workflow of a failed vault again when it has ended: a deposit is in the vault that it has to return. */
export async function resumeRefunds(context: TransactionContext, vaultId: string): Promise<void> {
  if ((await getVault(context.tx, vaultId)).status !== 'TERMINATED') return;
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), message);
}
