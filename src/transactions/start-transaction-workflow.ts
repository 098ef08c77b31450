import type { ChainTransaction } from './queries/chain-transactions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import type { Signing } from '../platform/temporal/messages.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';

/**
 * Starts the workflow that submits a recorded transaction and watches it, once the unit of work commits. With `signing` the workflow
 * reads nothing before `submitSigned`, or until it expires.
 */
export async function startTransactionWorkflow(
  context: TransactionContext,
  { id, vaultId }: Pick<ChainTransaction, 'id' | 'vaultId'>,
  signing?: Signing,
): Promise<void> {
  const message = { kind: 'start', workflow: 'transaction', transactionId: id, vaultId } as const;
  await enqueueWorkflowMessage(context, transactionWorkflowId(id), { ...message, ...(signing && { signing }) });
}
