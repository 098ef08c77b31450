import type { ChainTransaction } from './queries/transactions.ts';
import { markWithdrawn } from './queries/changes.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { publish } from '../events/publish.ts';

/** Withdraws a transaction that waits for signatures because something else replaces it or ends its purpose. */
export async function withdrawByPlatform(
  context: TransactionContext,
  transaction: ChainTransaction,
  reason: string,
): Promise<void> {
  await markWithdrawn(context, transaction, reason);
  const { vaultId, wallet, hash: transactionHash, ownerWorkflow: correlationId, kind } = transaction;
  const source = {
    vaultId,
    actor: 'platform',
    wallets: wallet === null ? [] : [wallet],
    transactionHash,
    correlationId,
  };
  await publish(context, { event: { type: 'TRANSACTION_WITHDRAWN', ...source, data: { kind } } });
}
