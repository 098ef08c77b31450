import { type Kysely, sql } from 'kysely';

/** The last valuation of a vault that an event told of: an equal one is not published again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vaults add column if not exists published_valuation numeric`.execute(db);
}
