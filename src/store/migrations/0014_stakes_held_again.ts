import { type Kysely, sql } from 'kysely';

/** When a way back that a stake was on came to nothing: votes that ended before it still count without that stake. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table stakes add column held_again_at timestamptz`.execute(db);
}
