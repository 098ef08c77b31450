import { sql } from 'kysely';
import type { Transaction } from './database.ts';

/**
 * What must not cross a deadline is fenced by a transaction-scoped advisory lock: writers take it shared and check the
 * deadline again under it, the closing activity takes it exclusively (design §4).
 */
export type Fence =
  | `window:${string}:${'asset' | 'investment'}`
  | `vault:${string}`
  | `asset:${string}`
  | `wallet:${string}`
  | `proposal:${string}`;

/** Keeps the fenced thing from closing until the transaction ends. */
export async function shareFence(tx: Transaction, fence: Fence): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${fence}, 0))`.execute(tx);
}

/** As `shareFence`, but answers false instead of waiting when somebody closes, or waits to close, the fence. */
export async function tryShareFence(tx: Transaction, fence: Fence): Promise<boolean> {
  const { rows } = await sql<{ shared: boolean }>`
    select pg_try_advisory_xact_lock_shared(hashtextextended(${fence}, 0)) as shared
  `.execute(tx);
  return rows[0]?.shared === true;
}

/** Waits for every writer behind the fence and keeps new ones out until the transaction ends. */
export async function closeFence(tx: Transaction, fence: Fence): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${fence}, 0))`.execute(tx);
}
