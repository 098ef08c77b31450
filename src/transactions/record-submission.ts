import type { InputConflict } from './rules/input-conflict.ts';
import type { Instant } from '../platform/units/instant.ts';
import { type ChainTransaction, lockTransaction, lockTransactions } from './queries/chain-transactions.ts';
import { setRefusal } from './queries/transaction-refusals.ts';
import { moveTransaction } from '../ledger-follower/effects/transactions.ts';
import { holdForOperator } from '../vaults/holds.ts';
import type { WorkerContext } from '../worker-context.ts';
import { isStepOfVault } from './step-of-vault.ts';

type Context = Pick<WorkerContext, 'unitOfWork'>;

/** What the ledger answered: why it refused a transaction that may still land, null when it did not. */
interface Answer {
  readonly refusal: string | null;
  readonly now: Instant;
}

/** Records that transactions were submitted, unless they have landed or ended meanwhile; a refusal holds the vault that waits for one. */
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
      // The hold ends when a step of the vault lands (late-landing.ts), so others raise none.
      if (refusal !== null && isStepOfVault(current)) await holdForOperator(work, current.vaultId, 'repeated_failures');
      if (current.state === 'pending') await moveTransaction(work, current, { to: 'submitted' });
    }
  });
  return 'done';
}

/** Why a transaction can never land. */
interface Failure {
  readonly reason: string;
  readonly conflict?: InputConflict | null;
  readonly now: Instant;
}

/** Fails a transaction that can never land, unless it has landed or ended meanwhile. */
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
