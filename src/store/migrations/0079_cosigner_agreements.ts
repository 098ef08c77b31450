import { type Kysely, sql } from 'kysely';

/** What cosigners have signed for a rotation: the evidence that they agreed to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rotations add column agreements jsonb`.execute(db);
}
