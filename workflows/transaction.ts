import { workflowInfo } from '@temporalio/workflow';
import type { TransactionState } from '../src/transactions/rules.ts';
import type { Signing, TransactionInput } from '../src/platform/temporal/messages.ts';
import { chain } from './activity-proxies.ts';
import { trackProgress } from './progress.ts';

/** One deposit, removal, stake or execution, from its signatures to its finality on the ledger. */
export async function transaction(input: TransactionInput): Promise<TransactionState> {
  const { transactionId } = input;
  const progress = trackProgress(input, ['witnessed', 'transactionChanged']);
  const read = () => chain.readTransaction({ transactionId });

  const signing = signingOf(input);
  const { expiresAt, kind } = signing ?? (await read());
  const texts = kind === 'execute' ? executionTexts : walletTexts;
  // It was started with the search attributes of this phase.
  if (signing) progress.setDetails(texts.waiting, expiresAt);
  else progress.setPhase('signing', texts.waiting, expiresAt);
  const isSigned = async () => {
    const { state, isWithdrawn } = await read();
    if (isWithdrawn)
      progress.setDetails(
        'Withdrawn. It accepts no signatures. Waiting until it can no longer reach a block.',
        expiresAt,
      );
    return state === 'awaiting_signatures' ? null : true;
  };
  if ((await progress.waitUntil('the end of the time for signatures', expiresAt, isSigned)) === 'due') {
    progress.setPhase('expiring', `${texts.late} Waiting until it can no longer reach a block.`);
    await progress.waitFor(isSigned);
  } else {
    progress.setDetails('Signed. Sending it to the ledger.', expiresAt);
  }
  await progress.tryForLong(() => chain.submitTransaction({ transactionId, now: progress.now() }));
  progress.setPhase('ledger', 'Sent. Waiting until it is final on the ledger.', expiresAt);
  const end = await progress.waitFor(async () => {
    const { state } = await read();
    return state === 'final' || state === 'expired' || state === 'failed' ? state : null;
  });
  progress.setDetails(endTexts[end]);
  return end;
}

/** What its start said; null for a run that has to read, because it continues another, which may show a later phase. */
function signingOf({ signing }: TransactionInput): Signing | null {
  return workflowInfo().continuedFromExecutionRunId === undefined ? (signing ?? null) : null;
}

const walletTexts = { waiting: 'Waiting for the signatures of the wallet.', late: 'It was not signed in time.' };

const executionTexts = {
  waiting: 'Waiting for all required signatures, and then for the execution.',
  late: 'It was not executed in time.',
};

const endTexts = {
  final: 'It is final on the ledger.',
  expired: 'It did not reach a block in time.',
  failed: 'It failed. The ledger will never accept it.',
};
