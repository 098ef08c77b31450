import type { TransactionState } from '../src/domain/transaction/transaction-state.ts';
import type { Prepared } from '../src/temporal/activity-types.ts';
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
    if (end === 'expired') await restartWhenLong(progress.input);
    if (end === 'failed') await refusals.waitAfter(error ?? 'the ledger refused it');
  }
}

/** Submits one transaction after the other until there is none left to prepare; thousands of them need several histories. */
export async function submitAllUntilLanded(
  progress: Progress,
  step: Step,
  prepare: () => Promise<Prepared | null>,
): Promise<void> {
  while ((await submitUntilLanded(progress, step, prepare)) === 'landed') await restartWhenLong(progress.input);
}

interface Landing {
  readonly end: 'confirmed' | 'expired' | 'failed';
  readonly error: string | null;
}

function landingResult({ state, error = null }: { state: TransactionState; error?: string | null }): Landing | null {
  if (state === 'final') return { end: 'confirmed', error };
  return state === 'confirmed' || state === 'expired' || state === 'failed' ? { end: state, error } : null;
}
