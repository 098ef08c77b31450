import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { sqlStateOf } from './sqlstate.ts';

/**
 * SQLSTATEs that are about the server or the whole transaction, not about what a statement says: connection, deadlock, resources,
 * shutdown, a statement or a wait for a lock that takes too long.
 */
const TRANSIENT = /^(08|40|53|58|57P|57014|55P03)/;

/** Undoes a part of a transaction that throws, and returns its error; null when it succeeded. Throws what concerns the whole transaction. */
export async function inSavepoint(
  tx: Transaction,
  work: () => Promise<void>,
): Promise<{ readonly error: unknown } | null> {
  await sql`savepoint part`.execute(tx);
  try {
    await work();
    await sql`release savepoint part`.execute(tx);
    return null;
  } catch (error) {
    if (isTransient(error)) throw error;
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    return { error };
  }
}

function isTransient(error: unknown): boolean {
  return TRANSIENT.test(sqlStateOf(error));
}
