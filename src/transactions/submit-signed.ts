import type { ChainTransaction } from './queries/chain-transactions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';

/** Wakes the workflow of a transaction that is signed. Another process may still be starting it, which a signal alone would miss. */
export async function submitSigned(
  context: TransactionContext,
  { id, vaultId }: Pick<ChainTransaction, 'id' | 'vaultId'>,
): Promise<void> {
  const message = { kind: 'start', again: true, workflow: 'transaction', transactionId: id, vaultId } as const;
  await enqueueWorkflowMessage(context, transactionWorkflowId(id), message);
}
