import { type Kysely, sql } from 'kysely';

/** The kinds of new work that an operator has stopped. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table pauses (
    area text primary key check (area in ('creation', 'contribution', 'investment', 'governance')),
    reason text not null,
    since timestamptz not null
  )`.execute(db);
}
