import type { TransactionState } from '../src/domain/transaction/transaction-state.ts';
import type { Prepared } from '../src/temporal/activities.ts';
import { secondsAfter } from '../src/domain/units/instant.ts';
import { chain } from './activities.ts';
import type { Progress } from './progress.ts';

const SECONDS_BEFORE_ANOTHER_TRY = 30;

/**
 * Prepares and sends one transaction and waits until it is in a block; one that expired or was refused is prepared anew.
 * 'nothing' when there was none to prepare.
 */
export async function lands(
  story: Progress,
  what: string,
  prepare: () => Promise<Prepared | null>,
): Promise<'landed' | 'nothing'> {
  for (;;) {
    const prepared = await prepare();
    if (prepared === null) return 'nothing';
    await chain.submitTransaction({ ...prepared, now: story.now() });
    const end = await story.waitFor(async () => landing((await chain.readTransaction(prepared)).state));
    if (end === 'confirmed') return 'landed';
    if (end === 'failed')
      await story.waitUntil(`another try of ${what}`, secondsAfter(story.now(), SECONDS_BEFORE_ANOTHER_TRY));
  }
}

/** Sends one transaction after the other until there is none left to prepare. */
export async function allLand(story: Progress, what: string, prepare: () => Promise<Prepared | null>): Promise<void> {
  while ((await lands(story, what, prepare)) === 'landed');
}

function landing(state: TransactionState): 'confirmed' | 'expired' | 'failed' | null {
  if (state === 'final') return 'confirmed';
  return state === 'confirmed' || state === 'expired' || state === 'failed' ? state : null;
}
