import type { TransactionState } from '../src/domain/transaction/transaction-state.ts';
import type { Prepared } from '../src/temporal/activity-types.ts';
import { secondsAfter } from '../src/domain/units/instant.ts';
import { chain } from './activity-proxies.ts';
import { restartWhenLong } from './restart.ts';
import type { Progress } from './progress.ts';

const SECONDS_BEFORE_RETRY = 30;
/** After several refusals an operator has to look, so the ledger is asked less often. */
const MOST_SECONDS_BEFORE_RETRY = 15 * 60;

/**
 * Prepares and submits one transaction and waits until it is in a block; one that expired or was refused is prepared again.
 * Returns 'nothing' when there is none to prepare.
 */
export async function submitUntilLanded(
  progress: Progress,
  name: string,
  prepare: () => Promise<Prepared | null>,
): Promise<'landed' | 'nothing'> {
  let refusals = 0;
  for (;;) {
    const prepared = await prepare();
    if (prepared === null) return 'nothing';
    await chain.submitTransaction({ ...prepared, now: progress.now() });
    const end = await progress.waitFor(async () => landingResult((await chain.readTransaction(prepared)).state));
    if (end === 'confirmed') return 'landed';
    if (end === 'failed') {
      const seconds = Math.min(SECONDS_BEFORE_RETRY * 2 ** refusals, MOST_SECONDS_BEFORE_RETRY);
      refusals += 1;
      await progress.waitUntil(`another try of ${name}`, secondsAfter(progress.now(), seconds));
      await restartWhenLong(progress.input);
    }
  }
}

/** Submits one transaction after the other until there is none left to prepare. */
export async function submitAllUntilLanded(
  progress: Progress,
  name: string,
  prepare: () => Promise<Prepared | null>,
): Promise<void> {
  while ((await submitUntilLanded(progress, name, prepare)) === 'landed');
}

function landingResult(state: TransactionState): 'confirmed' | 'expired' | 'failed' | null {
  if (state === 'final') return 'confirmed';
  return state === 'confirmed' || state === 'expired' || state === 'failed' ? state : null;
}
