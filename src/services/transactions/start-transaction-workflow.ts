import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';

/** Starts the workflow that submits a recorded transaction and watches it, once the unit of work commits. */
export async function startTransactionWorkflow(
  context: TransactionContext,
  { id, vaultId }: Pick<ChainTransaction, 'id' | 'vaultId'>,
): Promise<void> {
  const message = { kind: 'start', workflow: 'transaction', transactionId: id, vaultId } as const;
  await enqueueWorkflowMessage(context, transactionWorkflowId(id), message);
}
