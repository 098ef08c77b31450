import type { Db, Transaction } from '../../src/platform/database/database.ts';

/** What `act` returns in a transaction of Postgres that is undone: nobody else sees what it changes. */
export async function inUndone<Result>(db: Db, act: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const tx = await db.startTransaction().execute();
  try {
    return await act(tx);
  } finally {
    await tx.rollback().execute();
  }
}
