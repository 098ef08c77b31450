import { isoText } from '../src/domain/units/instant.ts';
import type { TransactionState } from '../src/domain/transaction/transaction-state.ts';
import type { TransactionInput } from '../src/temporal/messages.ts';
import { chain } from './activities.ts';
import { trackProgress } from './progress.ts';

/** One deposit, removal, stake or execution, from its signatures to its finality on the ledger. */
export async function transaction(input: TransactionInput): Promise<TransactionState> {
  const { transactionId } = input;
  const story = trackProgress(input, ['witnessed', 'transactionChanged']);
  const read = () => chain.readTransaction({ transactionId });

  const { expiresAt, kind } = await read();
  const until = `Until **${isoText(expiresAt)}**.`;
  const told = kind === 'execute' ? ofExecution : ofWallet;
  story.setPhase('signing', told.waits, expiresAt);
  const sign = async () => {
    const { state, isWithdrawn } = await read();
    if (isWithdrawn)
      story.setDetails(`Withdrawn: nobody signs it any more. Waiting until it can no longer land.\n\n${until}`);
    return state === 'awaiting_signatures' ? null : true;
  };
  if ((await story.waitUntil('the end of the time for signatures', expiresAt, sign)) === 'due') {
    story.setPhase('expiring', `${told.late} Waiting until it can no longer land.`);
    await story.waitFor(sign);
  } else {
    story.setDetails('Signed. Sending it to the ledger.');
  }
  await chain.submitTransaction({ transactionId, now: story.now() });
  story.setPhase('ledger', 'Sent. Waiting until it is final on the ledger.', expiresAt);
  const end = await story.waitFor(async () => {
    const { state: reached } = await read();
    return reached === 'final' || reached === 'expired' || reached === 'failed' ? reached : null;
  });
  story.setDetails(endings[end]);
  return end;
}

const ofWallet = { waits: 'Waiting for the signatures of the wallet.', late: 'Nobody signed in time.' };

const ofExecution = {
  waits: 'Waiting for the signatures of everyone it names, and then until it is executed.',
  late: 'Nobody executed it in time.',
};

const endings = {
  final: 'It is final on the ledger.',
  expired: 'It has ended without landing, and no longer can land.',
  failed: 'It has failed: the ledger refuses it for good.',
};
