import type { Ledger } from '../cardano/ledger/ledger.ts';
import { settleAll, throwFailures } from '../platform/errors/failures.ts';
import { validSignaturesOf } from '../signing-policy/decode-transaction.ts';
import { readUntrusted } from '../signing-policy/read-untrusted.ts';
import { landedWithoutSignature } from './queries/followed-transactions.ts';
import { storeLanded } from '../transactions/queries/transaction-changes.ts';
import type { WorkerContext } from '../worker-context.ts';

const ASKED_AT_ONCE = 10;

/** Asked in vain so often, a minute or so of attempts, one transaction keeps no block waiting any longer. */
const MAX_ATTEMPTS = 20;

/** How often each transaction was asked for in vain. */
const inVain = new WeakMap<Pick<Ledger, 'transactionCbor'>, Map<string, number>>();

/**
 * Reads from the ledger who has signed what lands with a signature of the platform, where Postgres does not know: it was restored from an
 * older backup, or the row is of somebody else's transaction. Throws an AggregateError of what the ledger did not answer, but not for ever.
 */
export async function storeLandedSignatures(
  { db, ledger }: Pick<WorkerContext, 'db' | 'ledger'>,
  hashes: readonly string[],
): Promise<void> {
  const landed = await landedWithoutSignature(db, hashes);
  const attempts = inVain.get(ledger) ?? new Map<string, number>();
  inVain.set(ledger, attempts);
  const failures = await settleAll(landed, ASKED_AT_ONCE, async ({ id, hash }) => {
    const attempt = (attempts.get(hash) ?? 0) + 1;
    attempts.set(hash, attempt);
    const signed = await signedBytes(ledger, hash).catch((error: unknown) => {
      if (attempt < MAX_ATTEMPTS) throw error;
      return null;
    });
    if (signed === null) return;
    attempts.delete(hash);
    await storeLanded(db, id, signed);
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
