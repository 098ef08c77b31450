import { type Kysely, sql } from 'kysely';

/** The first free key is found at once, as are those of a vault: an index without the free ones left a scan over all that are taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index vault_keys_of_vault on vault_keys (vault_id, key_index)`.execute(db);
  await sql`drop index vault_keys_by_vault`.execute(db);
}
