import type { Ledger } from '../../chain/ledger/ledger.ts';
import { settleAll, throwFailures } from '../../domain/failures.ts';
import { validSignaturesOf } from '../../justification/decode-transaction.ts';
import { readUntrusted } from '../../justification/read-untrusted.ts';
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
    const signed = await signedBytes(ledger, hash);
    if (signed !== null) await storeLanded(db, id, signed);
  });
  throwFailures(failures);
}

/**
 * The signed bytes of a transaction on the ledger; null while it does not give them. What it gives is stored for good, so bytes of another
 * transaction, a part of them, or bytes without a valid signature are none. Throws LEDGER_UNAVAILABLE.
 */
export async function signedBytes(ledger: Pick<Ledger, 'transactionCbor'>, hash: string): Promise<string | null> {
  const given = await ledger.transactionCbor(hash);
  const found = readUntrusted(given, validSignaturesOf);
  return found?.hash === hash && found.signers.length > 0 ? given : null;
}
