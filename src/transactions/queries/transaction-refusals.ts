import type { ChainTransaction } from './chain-transactions.ts';
import { eventInsert, type NewEvent } from '../../events/queries/events.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** Records why the ledger has refused an open transaction; null when it accepts it after all. */
export async function setRefusal(
  context: TransactionContext,
  { id, kind, hash, vaultId, wallet, ownerWorkflow }: ChainTransaction,
  refusal: string | null,
): Promise<void> {
  const { tx } = context;
  const event: NewEvent = {
    type: 'TRANSACTION_REFUSED',
    vaultId,
    actor: wallet ?? 'platform',
    transactionHash: hash,
    correlationId: ownerWorkflow,
    data: { kind, reason: refusal },
  };
  await tx.updateTable('chain_transactions').set({ refusal }).where('id', '=', id).execute();
  await eventInsert(context, [event]).execute();
}
