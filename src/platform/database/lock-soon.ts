import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { sqlStateOf } from './sqlstate.ts';
import { runAll, type Statement, statement } from './statements.ts';

/** Milliseconds: those who hold a lock keep it for less, one after the other. */
const FREE_SOON_MS = 500;
/** lock_not_available */
const LOCK_TIMEOUT = '55P03';

/**
 * Runs a statement that takes locks, and returns whether it took them. If one of them is not free soon, because somebody who holds it may be
 * frozen, it takes none.
 */
export async function lockSoon(tx: Transaction, taking: Statement<unknown>): Promise<boolean> {
  const command = (text: string) => statement(sql.raw(text).compile(tx), () => undefined);
  const parts = [
    command('savepoint locks'),
    command(`set local lock_timeout = ${FREE_SOON_MS}`),
    taking,
    command('set local lock_timeout = 0'),
    command('release savepoint locks'),
  ];
  try {
    await runAll(tx, parts);
    return true;
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_TIMEOUT) throw error;
    await sql`rollback to savepoint locks`.execute(tx);
    return false;
  }
}
