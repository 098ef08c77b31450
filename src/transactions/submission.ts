import { moveTransaction } from '../ledger-follower/effects.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { ErrorCode } from '../platform/error-registry.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import type { Instant } from '../platform/units/time.ts';
import { setRefusal } from './queries/changes.ts';
import { type ChainTransaction, lockTransaction, lockTransactions } from './queries/transactions.ts';
import { isStepOfVault } from './record-transaction.ts';
import type { InputConflict } from './rules.ts';
import { holdForOperator } from '../vaults/holds.ts';
import type { WorkerContext } from '../worker-context.ts';

/** 'done' when there is nothing left to submit; `unclear` when the same bytes have to be submitted again, and why. */
export type Submission = 'done' | { readonly unclear: string; readonly code?: ErrorCode };

type Context = Pick<WorkerContext, 'unitOfWork'>;

/** What the ledger answered: why it refused a transaction that may still be confirmed, null when it did not. */
interface Answer {
  readonly refusal: string | null;
  readonly now: Instant;
}

/** Records that transactions were submitted, unless they have been confirmed or ended meanwhile; a refusal holds the vault that waits for one. */
export async function recordSubmission(
  { unitOfWork }: Context,
  submitted: readonly Pick<ChainTransaction, 'id'>[],
  { refusal, now }: Answer,
): Promise<'done'> {
  const ids = submitted.map(({ id }) => id);
  await unitOfWork(async (context) => {
    for (const current of await lockTransactions(context.tx, ids)) {
      if (current.state !== 'pending' && current.state !== 'submitted') continue;
      const work = { ...context, now };
      if (current.refusal !== refusal) await setRefusal(work, current, refusal);
      // The hold ends when a step of the vault is confirmed (record-confirmation.ts), so others raise none.
      if (refusal !== null && isStepOfVault(current)) await holdForOperator(work, current.vaultId, 'repeated_failures');
      if (current.state === 'pending') await moveTransaction(work, current, { to: 'submitted' });
    }
  });
  return 'done';
}

/** Why a transaction can never be confirmed. */
interface Failure {
  readonly reason: string;
  readonly conflict?: InputConflict | null;
  readonly now: Instant;
}

/** Fails a transaction that can never be confirmed, unless it has been confirmed or ended meanwhile. */
export async function recordFailure(
  { unitOfWork }: Context,
  { id }: ChainTransaction,
  { reason, conflict = null, now }: Failure,
): Promise<'done'> {
  await unitOfWork(async (context) => {
    const current = await lockTransaction(context.tx, id);
    if (current?.state !== 'pending' && current?.state !== 'submitted') return;
    await moveTransaction({ ...context, now }, current, { to: 'failed', reason, conflict });
  });
  return 'done';
}

/** Wakes the workflow of a transaction that is signed. Another process may still be starting it, which a signal alone would miss. */
export async function submitSigned(
  context: TransactionContext,
  { id, vaultId }: Pick<ChainTransaction, 'id' | 'vaultId'>,
): Promise<void> {
  const message = { kind: 'start', again: true, workflow: 'transaction', transactionId: id, vaultId } as const;
  await enqueueWorkflowMessage(context, transactionWorkflowId(id), message);
}
