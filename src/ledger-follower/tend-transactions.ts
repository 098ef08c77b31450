import { runAll, settleAll, throwFailures } from '../platform/errors/failures.ts';
import { storeSigned } from '../transactions/queries/transaction-changes.ts';
import { directSubmissions } from './queries/followed-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { expireTransactions } from './expire-transactions.ts';
import { signedBytes } from './landed-signatures.ts';
import { resendAll, type ResendContext, resendUnseen } from './resend-transactions.ts';
import type { LedgerNews } from './follow-ledger.ts';

const ASKED_AT_ONCE = 10;

/** What tending works with. */
export type TendingContext = ResendContext & Pick<WorkerContext, 'blockMs' | 'onQuarantine' | 'onUnjustified'>;

/** What makes tending due. */
export type TendedNews = Exclude<LedgerNews, 'nothing' | 'held'>;

/**
 * Does for the open transactions what new blocks make due: sends again what should have landed, expires what no longer can, and
 * stores what wallets have submitted themselves. Throws an AggregateError of what failed; the next block tries again.
 */
export async function tendTransactions(context: TendingContext, news: TendedNews): Promise<void> {
  await runAll([() => storeAndResend(context, news), () => expireTransactions(context)], 2);
}

/** What could not be stored does not keep the others from being sent again. */
async function storeAndResend(context: TendingContext, news: TendedNews): Promise<void> {
  const resend = news === 'rollback' ? resendAll : resendUnseen;
  await runAll([() => storeDirectSubmissions(context), () => resend(context)], 1);
}

/** Stores the signed bytes of transactions that wallets have submitted themselves, so that these too are sent again after a rollback. */
async function storeDirectSubmissions({ db, ledger }: TendingContext): Promise<void> {
  const failures = await settleAll(await directSubmissions(db), ASKED_AT_ONCE, async ({ id, hash }) => {
    const signed = await signedBytes(ledger, hash);
    if (signed !== null) await storeSigned(db, id, signed);
  });
  throwFailures(failures);
}
