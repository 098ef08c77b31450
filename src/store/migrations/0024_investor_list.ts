import { type Kysely, sql } from 'kysely';

/** Whether the investor whitelist of a vault applies; null leaves that to the type of the vault. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vaults add column investor_list_enabled boolean`.execute(db);
}
