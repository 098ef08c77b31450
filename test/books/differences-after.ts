import { sql } from 'kysely';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import type { Difference } from '../../src/books/rules/books.ts';
import { reconcileVault } from '../../src/books/reconciliation.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { inUndone } from '../store/in-undone.ts';

/** What differs when the books of a vault are changed by this SQL, `:vault` for its id; the change is undone. */
export async function differencesAfter(
  { databaseUrl, ledger: { url } }: Pick<TestStack, 'databaseUrl' | 'ledger'>,
  vaultId: string,
  change: string,
): Promise<Difference[]> {
  const db = openDatabase(databaseUrl, () => undefined, 1);
  const ledger = createLedger({ baseUrl: `${url}/api/v0`, timeoutMs: 5000 });
  const pause = () => Promise.resolve();
  try {
    return await inUndone(db, async (tx) => {
      await sql.raw(change.replaceAll(':vault', `'${vaultId}'`)).execute(tx);
      return reconcileVault({ snapshot: (read) => read(tx), ledger, networkId: 0, pause }, vaultId);
    });
  } finally {
    await db.destroy();
  }
}
