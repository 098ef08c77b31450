import { ServiceError } from '../../domain/errors.ts';
import { throwFailures } from '../../domain/failures.ts';
import { type Instant, secondsAfter } from '../../domain/units/instant.ts';
import { markSent, unseenTransactions } from '../../store/followed-transactions.ts';
import type { SubmissionContext } from '../transactions/submission.ts';
import { submitTransaction } from '../transactions/submit-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A transaction is sent again when so many blocks came without it. */
const RESEND_AFTER_BLOCKS = 5;
const RESENDS_AT_ONCE = 20;

/** What submitting recorded transactions again works with. */
export type ResendContext = SubmissionContext & Pick<WorkerContext, 'readingTime'>;

/** Sends transactions again that should have landed by now. Throws LEDGER_UNAVAILABLE. */
export async function resendUnseen(context: ResendContext & Pick<WorkerContext, 'blockMs'>): Promise<void> {
  const now = await context.readingTime();
  const patience = Math.ceil((RESEND_AFTER_BLOCKS * context.blockMs) / 1000);
  await resend(context, secondsAfter(now, -patience), now);
}

/** Sends every submitted transaction again that is not in a block. Throws LEDGER_UNAVAILABLE. */
export async function resendAll(context: ResendContext): Promise<void> {
  const now = await context.readingTime();
  await resend(context, now, now);
}

/**
 * Sends again the transactions that have not changed since an instant. If an outcome is unclear, a later block sends them again. One that
 * cannot be sent keeps the others waiting only where the ledger is why.
 */
async function resend(context: ResendContext, unchangedSince: Instant, now: Instant): Promise<void> {
  const failures: unknown[] = [];
  for (const { id, read } of await unseenTransactions(context.db, unchangedSince, RESENDS_AT_ONCE)) {
    // Marked before it is sent: if sending fails, the other transactions still come first next time.
    await markSent(context.db, id, now);
    try {
      await submitTransaction(context, read(), now);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'LEDGER_UNAVAILABLE') throw error;
      failures.push(error);
    }
  }
  throwFailures(failures);
}
