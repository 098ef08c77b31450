import { sql } from 'kysely';
import type { Transaction } from './database.ts';

/**
 * What must not cross a deadline is fenced by a transaction-scoped advisory lock: writers take it shared and check the
 * deadline again under it, the closing activity takes it exclusively (design §4).
 */
export type Fence =
  `window:${string}:${'asset' | 'investment'}` | `vault:${string}` | `asset:${string}` | `wallet:${string}`;

/** Keeps the fenced thing from closing until the transaction ends. */
export async function shareFence(tx: Transaction, fence: Fence): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${fence}, 0))`.execute(tx);
}

/** Waits for every writer behind the fence and keeps new ones out until the transaction ends. */
export async function closeFence(tx: Transaction, fence: Fence): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${fence}, 0))`.execute(tx);
}
