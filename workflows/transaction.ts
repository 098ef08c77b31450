import type { TransactionState } from '../src/domain/transaction-state.ts';
import type { TransactionInput } from '../src/temporal/messages.ts';
import { chain } from './activities.ts';
import { beginStory } from './story.ts';

/** One deposit or removal, from its signatures to its finality on the ledger. */
export async function transaction(input: TransactionInput): Promise<TransactionState> {
  const { transactionId } = input;
  const story = beginStory(input, ['witnessed', 'transactionChanged']);
  const state = async () => (await chain.readTransaction({ transactionId })).state;

  const { expiresAt } = await chain.readTransaction({ transactionId });
  story.tell('signing', 'Waiting for the signatures of the wallet.', expiresAt);
  const sign = async () => ((await state()) === 'awaiting_signatures' ? null : true);
  if ((await story.until('signatures to be missing', expiresAt, sign)) === 'due') {
    story.tell('expiring', 'Nobody signed in time. Waiting until it can no longer land.');
    await story.once(sign);
  }

  await chain.submitTransaction({ transactionId, now: story.now() });
  story.tell('ledger', 'Sent. Waiting until it is final on the ledger.', expiresAt);
  return story.once(async () => {
    const reached = await state();
    return reached === 'final' || reached === 'expired' || reached === 'failed' ? reached : null;
  });
}
