import type { NextBatch, Prepared, TransactionActivities } from '../src/platform/temporal/activity-types.ts';
import { chain } from './activity-proxies.ts';
import { type Step, trackFailures, untilDone } from './attempts.ts';
import type { Progress } from './progress.ts';
import { restartWhenLong } from './restart.ts';

/**
 * Prepares and submits one transaction and waits until it is in a block; one that expired or was refused is prepared again.
 * Returns 'nothing' when there is none to prepare. A deadline of the step ends the waits between tries only: a transaction that
 * was sent is waited for, and `prepare` decides what is still possible.
 */
export async function submitUntilConfirmed(
  progress: Progress,
  step: Step,
  prepare: () => Promise<Prepared | null>,
): Promise<'confirmed' | 'nothing'> {
  const refusals = trackFailures(progress, step, 'ledgerRefusal');
  let expired = 0;
  for (;;) {
    const prepared = await untilDone(progress, step, prepare);
    if (prepared === 'due') continue;
    if (prepared === null) return 'nothing';
    await progress.tryForLong(() => chain.submitTransaction({ ...prepared, now: progress.now() }));
    const { end, error, followsExpired } = await progress.waitFor(async () => {
      const found = await chain.readTransaction(prepared);
      if (found.state === 'submitted' && found.error) refusals.show(found.error);
      return resultOf(found);
    });
    if (end === 'confirmed') {
      refusals.end();
      return 'confirmed';
    }
    if (end === 'expired') {
      expired += 1;
      // Cosigners who do not sign, for example: nothing but time has passed, so it is built again at once.
      // Also when a run that this one continues has seen the first.
      if (expired > 1 || followsExpired) await refusals.hold('two transactions in a row have expired');
      await restartWhenLong(progress.input);
    }
    if (end === 'failed') await refusals.waitAfter(error ?? 'the ledger refused it');
  }
}

/** Prepares the next batch of a step, while few are under way. */
export type PrepareNext = () => Promise<NextBatch>;

/** Submits batches, several at a time, until all have been confirmed; thousands of them need several histories. */
export async function submitAllUntilConfirmed(progress: Progress, step: Step, next: PrepareNext): Promise<void> {
  let refusals = trackFailures(progress, step, 'ledgerRefusal');
  for (;;) {
    const batch = await progress.waitFor(() => batchToSend(progress, step, next));
    if (batch.kind === 'done') return;
    const { transactionId } = batch;
    const sent = await progress.tryForLong(() => chain.submitTransaction({ transactionId, now: progress.now() }));
    if (sent.state === 'failed') {
      await refusals.waitAfter(sent.error ?? 'the ledger refused it');
    } else if (sent.error) {
      refusals.show(sent.error);
    } else {
      refusals.end();
      refusals = trackFailures(progress, step, 'ledgerRefusal');
    }
    await restartWhenLong(progress.input);
  }
}

/** Null while those that were sent have to be confirmed first. */
async function batchToSend(progress: Progress, step: Step, next: PrepareNext): Promise<NextBatch | null> {
  for (;;) {
    const batch = await untilDone(progress, step, next);
    // A deadline that has passed ends no wait a second time.
    if (batch !== 'due') return batch.kind === 'wait' ? null : batch;
  }
}

type ReadTransaction = Awaited<ReturnType<TransactionActivities['readTransaction']>>;

interface TransactionResult {
  readonly end: 'confirmed' | 'expired' | 'failed';
  readonly error: string | null;
  readonly followsExpired: boolean;
}

function resultOf({ state, error, followsExpired }: ReadTransaction): TransactionResult | null {
  const end = state === 'final' ? 'confirmed' : state;
  return end === 'confirmed' || end === 'expired' || end === 'failed' ? { end, error, followsExpired } : null;
}
