import { requireMayActFor, type Caller, isPermitted } from '../access/rules.ts';
import { moveTransaction } from '../ledger-follower/effects.ts';
import { ServiceError } from '../platform/errors.ts';
import { type ChainTransaction, lockTransaction } from './queries/transactions.ts';
import { markWithdrawn } from './queries/changes.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { publishAction } from '../events/publish.ts';

interface WithdrawTransactionInput {
  /** As it was before it was locked. */
  readonly transaction: ChainTransaction;
  readonly caller: Caller;
  readonly correlationId: string;
}

const reason = 'withdrawn before it was signed';

/**
 * Withdraws a transaction that a wallet or cosigners were asked to sign, and frees the UTxOs it holds. A transaction that the wallet could
 * submit by itself stays watched until it can no longer be confirmed; one that also needs the platform's signature has ended. Repeating it
 * changes nothing.
 */
export async function withdrawTransaction(
  context: TransactionContext,
  { transaction: found, caller, correlationId }: WithdrawTransactionInput,
): Promise<void> {
  const transaction = await lockTransaction(context.tx, found.id);
  const { kind, hash: transactionHash, vaultId, state, wallet } = transaction ?? found;
  // An execution is frozen for every wallet it names: it ends when it is frozen again.
  if (!transaction || kind === 'execute' || (wallet === null && kind !== 'return_unsolicited')) {
    throw new ServiceError('TRANSACTION_NOT_WITHDRAWABLE', { kind, status: state });
  }
  const onBehalfOf = requireMayWithdraw(caller, wallet);
  if (transaction.error === reason) return;
  requireWithdrawable(transaction);
  // Without the platform's signature it cannot be on the ledger.
  if (transaction.platformSigners.length > 0) {
    await moveTransaction(context, transaction, { to: 'expired', reason });
  } else {
    await markWithdrawn(context, transaction, reason);
  }
  await publishAction(context, {
    action: 'TRANSACTION_WITHDRAWN',
    vaultId,
    actor: wallet ?? 'platform',
    transactionHash,
    eventData: { kind },
    resource: { type: 'transaction', id: transactionHash },
    metadata: { wallet },
    caller,
    onBehalfOf,
    correlationId,
  });
}

/** Returns the wallet that an API key acts for. Without a wallet it is a return from custody: whoever may start one may end it. */
function requireMayWithdraw(caller: Caller, wallet: string | null): string | undefined {
  if (wallet !== null) return requireMayActFor(caller, wallet);
  if (isPermitted(caller.permissions, { resource: 'unsolicited', action: 'CREATE' })) return undefined;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { required: 'permission unsolicited:CREATE' });
}

function requireWithdrawable({ kind, state, error, signer }: ChainTransaction): void {
  if (signer === 'wallet' && state === 'awaiting_signatures' && error === null) return;
  throw new ServiceError('TRANSACTION_NOT_WITHDRAWABLE', { kind, status: state });
}
