import { settleAll, throwFailures } from '../../domain/failures.ts';
import { landedWithoutSignature } from '../../store/followed-transactions.ts';
import { storeLanded } from '../../store/transaction-changes.ts';
import type { WorkerContext } from '../worker-context.ts';

const ASKED_AT_ONCE = 10;

/**
 * Reads from the ledger who has signed what lands with a signature of the platform, where Postgres does not know: it was restored from an
 * older backup, or the row is of somebody else's transaction. Throws an AggregateError of what the ledger did not answer.
 */
export async function storeLandedSignatures(
  { db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>,
  hashes: readonly string[],
): Promise<void> {
  const landed = await landedWithoutSignature(db, hashes);
  const failures = await settleAll(landed, ASKED_AT_ONCE, async ({ id, hash }) => {
    const signed = await ledger.transactionCbor(hash);
    if (signed !== null) await storeLanded(db, id, signed);
  });
  throwFailures(failures);
}
