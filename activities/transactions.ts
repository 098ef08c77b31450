import { isStepOfVault } from '../src/transactions/record-transaction.ts';
import { submitTransaction } from '../src/transactions/submit-transaction.ts';
import type { WorkerContext } from '../src/worker-context.ts';
import { type ChainTransaction, findTransaction } from '../src/transactions/queries/transactions.ts';
import { followsExpired } from '../src/transactions/queries/listed-transactions.ts';
import type { Submitted, TransactionActivities } from '../src/platform/temporal/activity-types.ts';

/** Reading, signing and submitting recorded transactions. */
export function createTransactionActivities(context: WorkerContext): TransactionActivities {
  return {
    async readTransaction({ transactionId }) {
      const transaction = await getTransaction(context, transactionId);
      const { state, expiresAt, kind, error, refusal } = transaction;
      const isExpiredStep = state === 'expired' && isStepOfVault(transaction);
      return {
        state,
        expiresAt,
        kind,
        isWithdrawn: state === 'awaiting_signatures' && error !== null,
        error: error ?? refusal,
        followsExpired: isExpiredStep && (await followsExpired(context.db, transaction)),
      };
    },

    async submitTransaction({ transactionId, now }) {
      const recorded = await getTransaction(context, transactionId);
      // It was sent before one that spends what it leaves.
      if (recorded.kind === 'claim' && recorded.state === 'submitted') return submittedOf(recorded);
      const submission = await submitTransaction(context, recorded, now);
      context.outboxRelay.deliver();
      if (submission !== 'done') throw new Error(submission.unclear);
      return submittedOf(await getTransaction(context, transactionId));
    },
  };
}

function submittedOf({ state, error, refusal }: ChainTransaction): Submitted {
  return { state, error: error ?? refusal };
}

async function getTransaction({ db }: Pick<WorkerContext, 'db'>, transactionId: string): Promise<ChainTransaction> {
  const recorded = await findTransaction(db, transactionId);
  if (!recorded) throw new Error(`transaction ${transactionId} is not recorded`);
  return recorded;
}
