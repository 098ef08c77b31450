import { type Kysely, sql } from 'kysely';

/** Prices that the admin of a vault has set; null when there are none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vaults add column if not exists custom_prices jsonb`.execute(db);
}
