import { type Kysely, sql } from 'kysely';

/**
 * A key stays with the vault that it was assigned to. Otherwise whoever may assign keys could give one to a vault of theirs, whose
 * transactions then move what lies at the addresses of the other vault.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function keep_vault_key() returns trigger language plpgsql as $$
      begin
        raise exception 'key % stays with vault %', old.key_index, old.vault_id;
      end
    $$
  `.execute(db);
  await sql`
    create trigger vault_keys_stay before update on vault_keys for each row
      when (old.vault_id is not null) execute function keep_vault_key()
  `.execute(db);
}
