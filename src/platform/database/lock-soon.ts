import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { sqlStateOf } from './sqlstate.ts';

/** Milliseconds: those who hold a lock keep it for less, one after the other. */
const FREE_SOON_MS = 500;
/** lock_not_available */
const LOCK_TIMEOUT = '55P03';

/**
 * Takes locks, and returns whether it took them. If one of them is not free soon, because somebody who holds it may be frozen, it
 * takes none.
 */
export async function lockSoon(tx: Transaction, take: () => Promise<unknown>): Promise<boolean> {
  const command = (text: string) => sql.raw(text).execute(tx);
  await command('savepoint locks');
  try {
    await command(`set local lock_timeout = ${FREE_SOON_MS}`);
    await take();
    await command('set local lock_timeout = 0');
    await command('release savepoint locks');
    return true;
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_TIMEOUT) throw error;
    await sql`rollback to savepoint locks`.execute(tx);
    return false;
  }
}
