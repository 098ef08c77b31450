import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { sqlStateOf } from './sqlstate.ts';

/**
 * A fence keeps writes from crossing a deadline, by a transaction-scoped advisory lock: writers take it shared and check the
 * deadline again under it, the closing activity takes it exclusively (design §4).
 */
export type Fence =
  | `window:${string}:${'asset' | 'investment'}`
  | `vault:${string}`
  | `custody:${string}`
  | `asset:${string}`
  | `wallet:${string}`
  | `free:${string}`
  | `proposal:${string}`
  | `sessions:${string}`;

/**
 * Takes the shared side: the fence cannot be closed until the transaction ends. What is read under the fence is another statement,
 * because each sees what was there when it began.
 */
export async function shareFence(tx: Transaction, fence: Fence): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${fence}, 0))`.execute(tx);
}

/** As `shareFence`, but returns false instead of waiting when a transaction closes, or waits to close, the fence. */
export async function tryShareFence(tx: Transaction, fence: Fence): Promise<boolean> {
  const { rows } = await sql<{ shared: boolean }>`
    select pg_try_advisory_xact_lock_shared(hashtextextended(${fence}, 0)) as shared
  `.execute(tx);
  return rows[0]?.shared === true;
}

/** Takes the exclusive side: waits for every writer that shares the fence, and keeps new ones out until the transaction ends. */
export async function closeFence(tx: Transaction, fence: Fence): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${fence}, 0))`.execute(tx);
}

/** As `closeFence` for several, in the order of their names. */
export async function closeFences(tx: Transaction, fences: readonly Fence[]): Promise<void> {
  const names = [...new Set(fences)].sort();
  await sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) as name`.execute(tx);
}

/** As `shareFence` or `closeFence`, but returns false when that takes long: somebody who holds the fence may be frozen. */
export function takeFenceSoon(tx: Transaction, fence: Fence, side: 'shared' | 'closed'): Promise<boolean> {
  // Only who waits in line gets a fence that many share one after the other.
  return lockSoon(tx, () => (side === 'closed' ? closeFence : shareFence)(tx, fence));
}

/** Takes the shared or the closed side of several fences without waiting; returns those that are not free. */
export async function tryFences(
  tx: Transaction,
  { shared, closed }: Readonly<Record<'shared' | 'closed', readonly Fence[]>>,
): Promise<Fence[]> {
  const { rows } = await sql<{ name: Fence }>`
    select name from unnest(${shared}::text[]) as name where not pg_try_advisory_xact_lock_shared(hashtextextended(name, 0))
    union all
    select name from unnest(${closed}::text[]) as name where not pg_try_advisory_xact_lock(hashtextextended(name, 0))
  `.execute(tx);
  return rows.map(({ name }) => name);
}

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
