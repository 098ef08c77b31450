import { type Kysely, sql } from 'kysely';

const statements = [
  'alter table vault_keys drop constraint vault_keys_vault_id_key',
  'create index vault_keys_by_vault on vault_keys (vault_id) where vault_id is not null',
  'alter table vaults add column former_custodies jsonb',
  `alter table vaults add column settlement_key_hash text
    generated always as (coalesce(former_custodies -> 0 ->> 'vaultKeyHash', vault_key_hash)) stored`,
  'alter table stakes add column vault_key_hash text',
  'update stakes set vault_key_hash = vaults.vault_key_hash from vaults where vaults.id = vault_id',
];

/**
 * A vault may have several keys, one after the other: its custody before each rotation, the key of its deposits and its settlement, which is
 * the first, and the key of each stake. Older processes leave out the key of a stake; it is the vault's then.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
