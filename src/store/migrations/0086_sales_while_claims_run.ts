import { type Kysely, sql } from 'kysely';

/** By how many seconds claims run longer because of sales. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table terminations add column sale_seconds integer not null default 0`.execute(db);
}
