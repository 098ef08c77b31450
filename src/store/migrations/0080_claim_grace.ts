import { type Kysely, sql } from 'kysely';

/** By how many seconds claims run longer because signed claims did not land. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table terminations add column grace_seconds integer not null default 0`.execute(db);
}
