import { type Kysely, sql } from 'kysely';

/** When the ledger last could not say whether a transaction has landed: others are expired before it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_transactions add column expiry_failed_at timestamptz`.execute(db);
}
