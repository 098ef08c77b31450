import { lockTransaction } from '../../transactions/queries/chain-transactions.ts';
import { unfinishedClaimTransactions } from '../queries/claims.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { moveTransaction } from '../../ledger-follower/effects/transactions.ts';

/**
 * Ends the claims of a wallet that it has not signed, so that their tokens are free for another one. They cannot land: the vault signs
 * after the wallet.
 */
export async function supersedeUnsignedClaims(
  context: TransactionContext,
  vaultId: string,
  wallet: string,
): Promise<void> {
  for (const transactionId of await unfinishedClaimTransactions(context.tx, vaultId, wallet)) {
    const transaction = await lockTransaction(context.tx, transactionId);
    if (transaction?.state !== 'awaiting_signatures') continue;
    await moveTransaction(context, transaction, { to: 'expired', reason: 'superseded by another claim' });
  }
}
