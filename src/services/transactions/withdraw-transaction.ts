import { requireMayActFor, type Caller } from '../../domain/identity/caller.ts';
import { moveTransaction } from '../on-ledger/transactions.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type ChainTransaction, lockTransaction } from '../../store/chain-transactions.ts';
import { withdraw } from '../../store/transaction-changes.ts';
import { recordEvent } from '../../store/events.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { ServiceContext } from '../context.ts';
import { publish } from '../publish.ts';

interface Withdrawal {
  /** As it was found. */
  readonly transaction: ChainTransaction;
  readonly caller: Caller;
  readonly correlationId: string;
}

const reason = 'withdrawn before it was signed';

/**
 * Gives up what its wallet has been asked to sign, and frees the coins it holds. What the wallet could send by itself stays watched
 * until it can no longer land; what needs our signature too has ended. Doing it again changes nothing. Raises
 * INSUFFICIENT_PERMISSIONS and TRANSACTION_NOT_WITHDRAWABLE.
 */
export async function withdrawTransaction(
  { tx, now }: TransactionContext,
  { ids }: Pick<ServiceContext, 'ids'>,
  { transaction: found, caller, correlationId }: Withdrawal,
): Promise<void> {
  const transaction = await lockTransaction(tx, found.id);
  const { id, kind, hash, vaultId, state, wallet } = transaction ?? found;
  // An execution is frozen for everyone it names: a new freeze gives it up.
  if (!transaction || wallet === null || kind === 'execute') {
    throw new ServiceError('TRANSACTION_NOT_WITHDRAWABLE', { kind, status: state });
  }
  const onBehalfOf = requireMayActFor(caller, wallet);
  if (transaction.error === reason) return;
  requireWithdrawable(transaction);
  // Without our signature the ledger cannot have seen it.
  if (transaction.platformSigners.length > 0) {
    await moveTransaction({ tx, ids, now }, transaction, { to: 'expired', reason });
  } else {
    await withdraw({ tx, ids, now }, transaction, reason);
  }
  const told = { vaultId, actor: wallet, transactionHash: hash, correlationId, data: { kind } };
  await recordEvent({ tx, ids, now }, { type: 'TRANSACTION_WITHDRAWN', ...told });
  const deed = { action: 'TRANSACTION_WITHDRAWN', resource: { type: 'transaction', id }, caller } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { hash, wallet } } });
}

function requireWithdrawable({ kind, state, error, signer }: ChainTransaction): void {
  if (signer === 'wallet' && state === 'awaiting_signatures' && error === null) return;
  throw new ServiceError('TRANSACTION_NOT_WITHDRAWABLE', { kind, status: state });
}
