import { hasChange } from './changes.ts';
import type { TransactionState } from '../src/domain/transaction/transaction-state.ts';
import type { NextBatch, Prepared } from '../src/temporal/activity-types.ts';
import { chain } from './activity-proxies.ts';
import { type Step, trackFailures, untilDone } from './attempts.ts';
import type { Progress } from './progress.ts';
import { restartWhenLong } from './restart.ts';

/**
 * Prepares and submits one transaction and waits until it is in a block; one that expired or was refused is prepared again.
 * Returns 'nothing' when there is none to prepare. A deadline of the step ends the waits between tries only: a transaction that
 * was sent is waited for, and `prepare` decides what is still possible.
 */
export async function submitUntilLanded(
  progress: Progress,
  step: Step,
  prepare: () => Promise<Prepared | null>,
): Promise<'landed' | 'nothing'> {
  const refusals = trackFailures(progress, step, 'ledgerRefusal');
  let expired = 0;
  for (;;) {
    const prepared = await untilDone(progress, step, prepare);
    if (prepared === 'due') continue;
    if (prepared === null) return 'nothing';
    await chain.submitTransaction({ ...prepared, now: progress.now() });
    const { end, error } = await progress.waitFor(async () => {
      const found = await chain.readTransaction(prepared);
      if (found.state === 'submitted' && found.error) refusals.show(found.error);
      return landingResult(found);
    });
    if (end === 'confirmed') {
      refusals.end();
      return 'landed';
    }
    if (end === 'expired') {
      expired += 1;
      // Cosigners who do not sign, for example: nothing but time has passed, so it is built again at once.
      if (expired > 1 && hasChange('hold-for-expiries'))
        await refusals.hold(`${expired} transactions in a row have expired`);
      await restartWhenLong(progress.input);
    }
    if (end === 'failed') await refusals.waitAfter(error ?? 'the ledger refused it');
  }
}

/** How the batches of a step are made. */
export interface Batches {
  /** Prepares the next one, while few are under way. */
  readonly next: () => Promise<NextBatch>;
  /** As earlier versions did it: the one that is under way, or the next. */
  readonly nextAlone: () => Promise<Prepared | null>;
}

/** Submits batches, several at a time, until all have landed; thousands of them need several histories. */
export async function submitAllUntilLanded(progress: Progress, step: Step, batches: Batches): Promise<void> {
  while (!hasChange('batches-in-flight')) {
    if ((await submitUntilLanded(progress, step, batches.nextAlone)) === 'nothing') return;
    await restartWhenLong(progress.input);
  }
  let refusals = trackFailures(progress, step, 'ledgerRefusal');
  for (;;) {
    const batch = await progress.waitFor(() => batchToSend(progress, step, batches));
    if (batch.kind === 'done') return;
    const sent = await chain.submitTransaction({ transactionId: batch.transactionId, now: progress.now() });
    if (sent?.state === 'failed') {
      await refusals.waitAfter(sent.error ?? 'the ledger refused it');
    } else if (sent?.error) {
      refusals.show(sent.error);
    } else {
      refusals.end();
      refusals = trackFailures(progress, step, 'ledgerRefusal');
    }
    await restartWhenLong(progress.input);
  }
}

/** Null while those that were sent have to land first. */
async function batchToSend(progress: Progress, step: Step, { next }: Batches): Promise<NextBatch | null> {
  for (;;) {
    const batch = await untilDone(progress, step, next);
    // A deadline that has passed ends no wait a second time.
    if (batch !== 'due') return batch.kind === 'wait' ? null : batch;
  }
}

interface Landing {
  readonly end: 'confirmed' | 'expired' | 'failed';
  readonly error: string | null;
}

function landingResult({ state, error = null }: { state: TransactionState; error?: string | null }): Landing | null {
  if (state === 'final') return { end: 'confirmed', error };
  return state === 'confirmed' || state === 'expired' || state === 'failed' ? { end: state, error } : null;
}
