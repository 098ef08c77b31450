import { type Kysely, sql } from 'kysely';

/**
 * An execution may need the signatures of some of the cosigners it names, not of all: how many, and which keys of its transaction
 * these are. Null where all of them have to sign, as in every execution before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table executions add column required_cosigners integer`.execute(db);
  await sql`alter table chain_transactions add column cosigners jsonb`.execute(db);
}
