import { ServiceError } from '../platform/errors/errors.ts';
import { throwFailures } from '../platform/errors/failures.ts';
import { wallClock } from '../platform/units/clock.ts';
import { type Instant, secondsAfter } from '../platform/units/instant.ts';
import { readTransaction, type TransactionRow } from '../transactions/queries/chain-transactions.ts';
import { markSent, unseenTransactions } from './queries/followed-transactions.ts';
import type { SubmissionContext } from '../transactions/submission.ts';
import { submitTransaction } from '../transactions/submit-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A transaction is sent again when so many blocks came without it. */
const RESEND_AFTER_BLOCKS = 5;
const RESENDS_AT_ONCE = 20;
/** After a rollback as many are sent as there is time for until about the next block; the others come with later ones. */
const SECONDS = 15;

/** What submitting recorded transactions again works with. */
export type ResendContext = SubmissionContext & Pick<WorkerContext, 'readingTime'>;

/** Sends transactions again that should have landed by now. Throws LEDGER_UNAVAILABLE. */
export async function resendUnseen(context: ResendContext & Pick<WorkerContext, 'blockMs'>): Promise<void> {
  const now = await context.readingTime();
  const patience = Math.ceil((RESEND_AFTER_BLOCKS * context.blockMs) / 1000);
  const unseen = await unseenTransactions(context.db, secondsAfter(now, -patience), { limit: RESENDS_AT_ONCE, now });
  throwFailures(await resend(context, unseen, now));
}

/** Sends every submitted transaction again that is not in a block, while there is time. Throws LEDGER_UNAVAILABLE. */
export async function resendAll(context: ResendContext): Promise<void> {
  const now = await context.readingTime();
  const end = secondsAfter(wallClock.now(), SECONDS);
  const [sent, failures] = [new Set<string>(), [] as unknown[]];
  for (;;) {
    const found = await unseenTransactions(context.db, now, { limit: RESENDS_AT_ONCE, now });
    // What was sent comes again, after all others.
    const unsent = found.filter(({ id }) => !sent.has(id));
    for (const { id } of unsent) sent.add(id);
    failures.push(...(await resend(context, unsent, now)));
    if (unsent.length < RESENDS_AT_ONCE || wallClock.now() >= end) break;
  }
  throwFailures(failures);
}

/**
 * Sends transactions again, and returns what failed. If an outcome is unclear, a later block sends them again. One that cannot be sent keeps
 * the others waiting only where the ledger is why.
 */
async function resend(context: ResendContext, unseen: readonly TransactionRow[], now: Instant): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const row of unseen) {
    // Marked before it is sent: if sending fails, the other transactions still come first next time.
    await markSent(context.db, row.id, now);
    try {
      await submitTransaction(context, readTransaction(row), now);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'LEDGER_UNAVAILABLE') throw error;
      failures.push(error);
    }
  }
  return failures;
}
