import { lockTransaction } from '../transactions/queries/transactions.ts';
import { UnreadableRow } from '../platform/database/decode-rows.ts';
import { listQuarantine, quarantineOf, recordAttempt } from './queries/quarantine.ts';
import type { ServiceContext } from '../context.ts';
import { endQuarantine, errorText } from './quarantine.ts';
import { applyEffects } from './effects.ts';

type Context = Pick<ServiceContext, 'db' | 'unitOfWork'>;

/** The result of one transaction; `error` is null when nothing of it is in quarantine any more. */
export interface RetriedTransaction {
  readonly hash: string;
  readonly error: string | null;
}

/**
 * Applies the quarantined effects of one transaction, or of all, in the order in which they happened; those of one
 * transaction together or not at all (design D45).
 */
export async function retryQuarantined(context: Context, hash: string | null): Promise<RetriedTransaction[]> {
  const listed = (await listQuarantine(context.db)).filter((entry) => hash === null || entry.hash === hash);
  const transactions = new Map(listed.map((entry) => [entry.transactionId, entry.hash]));
  const retried: RetriedTransaction[] = [];
  for (const [id, transactionHash] of transactions) {
    retried.push({ hash: transactionHash, error: await retryTransaction(context, id) });
  }
  return retried;
}

/** Returns the error of the first effect that failed again. */
async function retryTransaction({ unitOfWork }: Context, id: string): Promise<string | null> {
  const attempted: string[] = [];
  try {
    await unitOfWork(async (context) => {
      const transaction = await lockTransaction(context.tx, id);
      if (!transaction) return;
      const entries = await quarantineOf(context.tx, id);
      for (const { id: entryId, from, to, isRollback, blockHeight } of entries) {
        attempted.push(entryId);
        const change = { to, direction: isRollback ? ('rollback' as const) : ('forward' as const) };
        await applyEffects(context, { ...transaction, state: from, blockHeight }, change);
      }
      await endQuarantine(context, transaction, entries);
    });
    return null;
  } catch (error) {
    const failed = attempted.at(-1);
    if (failed === undefined && !(error instanceof UnreadableRow)) throw error;
    const text = errorText(error);
    if (failed !== undefined) await unitOfWork((context) => recordAttempt(context, failed, text));
    return text;
  }
}
