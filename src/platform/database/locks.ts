import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { sqlStateOf } from './sqlstate.ts';

/**
 * A transaction-scoped advisory lock that keeps writes from crossing a deadline: writers take it shared and check the
 * deadline again under it, the closing activity takes it exclusively (design §4).
 */
export type AdvisoryLock =
  | `window:${string}:${'asset' | 'investment'}`
  | `vault:${string}`
  | `custody:${string}`
  | `asset:${string}`
  | `wallet:${string}`
  | `free:${string}`
  | `proposal:${string}`
  | `sessions:${string}`;

/**
 * Locks shared: nobody gets the lock exclusively until the transaction ends. What is read under the lock is another statement,
 * because each sees what was there when it began.
 */
export async function lockShared(tx: Transaction, lock: AdvisoryLock): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${lock}, 0))`.execute(tx);
}

/** As `lockShared`, but returns false instead of waiting when a transaction has the lock exclusively, or waits for it. */
export async function tryLockShared(tx: Transaction, lock: AdvisoryLock): Promise<boolean> {
  const { rows } = await sql<{ shared: boolean }>`
    select pg_try_advisory_xact_lock_shared(hashtextextended(${lock}, 0)) as shared
  `.execute(tx);
  return rows[0]?.shared === true;
}

/** Locks exclusively: waits for every writer that shares the lock, and keeps new ones out until the transaction ends. */
export async function lockExclusive(tx: Transaction, lock: AdvisoryLock): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** As `lockShared` or `lockExclusive`, but returns false when that takes long: somebody who holds the lock may be frozen. */
function lockWithTimeout(tx: Transaction, lock: AdvisoryLock, mode: 'shared' | 'exclusive'): Promise<boolean> {
  // A lock that many share one after the other is only free for those who queue for it.
  return takeWithTimeout(tx, () => (mode === 'exclusive' ? lockExclusive : lockShared)(tx, lock));
}

/** Takes several locks, shared or exclusively, without waiting; returns those that are not free. */
async function tryLocks(
  tx: Transaction,
  { shared, exclusive }: Readonly<Record<'shared' | 'exclusive', readonly AdvisoryLock[]>>,
): Promise<AdvisoryLock[]> {
  const { rows } = await sql<{ name: AdvisoryLock }>`
    select name from unnest(${shared}::text[]) as name where not pg_try_advisory_xact_lock_shared(hashtextextended(name, 0))
    union all
    select name from unnest(${exclusive}::text[]) as name where not pg_try_advisory_xact_lock(hashtextextended(name, 0))
  `.execute(tx);
  return rows.map(({ name }) => name);
}

/** How long several locks together are waited for, in milliseconds. */
const LOCKS_TIMEOUT_MS = 1000;

/**
 * Takes locks until the transaction ends; returns those that it could not take. It queues for them, or who takes a lock again and again
 * would keep this transaction out; but not for long, because somebody who holds one may be frozen.
 */
export async function takeLocks(
  tx: Transaction,
  locks: Readonly<Record<'shared' | 'exclusive', readonly AdvisoryLock[]>>,
): Promise<ReadonlySet<AdvisoryLock>> {
  const exclusive = new Set(locks.exclusive);
  const shared = new Set(locks.shared).difference(exclusive);
  const busy = new Set<AdvisoryLock>();
  if (shared.size + exclusive.size === 0) return busy;
  const giveUpAt = performance.now() + LOCKS_TIMEOUT_MS;
  for (const lock of await tryLocks(tx, { shared: [...shared], exclusive: [...exclusive] })) {
    const mode = exclusive.has(lock) ? 'exclusive' : 'shared';
    if (performance.now() >= giveUpAt || !(await lockWithTimeout(tx, lock, mode))) busy.add(lock);
  }
  return busy;
}

/** Milliseconds: those who hold a lock keep it for less, one after the other. */
const LOCK_TIMEOUT_MS = 500;
/** lock_not_available */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Takes locks, and returns whether it took them. If one of them is not free soon, because somebody who holds it may be frozen, it
 * takes none.
 */
export async function takeWithTimeout(tx: Transaction, take: () => Promise<unknown>): Promise<boolean> {
  const command = (text: string) => sql.raw(text).execute(tx);
  await command('savepoint locks');
  try {
    await command(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await take();
    await command('set local lock_timeout = 0');
    await command('release savepoint locks');
    return true;
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    await sql`rollback to savepoint locks`.execute(tx);
    return false;
  }
}
