import { type Kysely, sql } from 'kysely';

/** When a transaction was last sent again, so that all that wait for a block take turns. Its attempts were never counted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_transactions drop column attempts, add column sent_at timestamptz`.execute(db);
}
