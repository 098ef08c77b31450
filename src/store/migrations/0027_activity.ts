import { type Kysely, sql } from 'kysely';

/** For the activity of a vault, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index outbox_by_vault_and_time on outbox (vault_id, occurred_at, id)`.execute(db);
}
