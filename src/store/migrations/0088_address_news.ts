import { type Kysely, sql } from 'kysely';

const statements = [
  `create table watched_addresses (
    address text primary key,
    vault_id uuid not null references vaults on delete cascade,
    place text not null,
    depositor text,
    seen_height bigint,
    is_due boolean not null default false
  )`,
  'create index watched_addresses_by_vault on watched_addresses (vault_id)',
  'create index watched_addresses_due on watched_addresses (vault_id, address) where is_due',
  'create index watched_addresses_seen on watched_addresses (seen_height) where seen_height is not null',
  `create table address_scan (
    id boolean primary key default true check (id),
    watched_until timestamptz,
    read_height bigint,
    pass_after uuid,
    pass_until uuid
  )`,
  'insert into address_scan default values',
];

/** Which addresses of vaults the blocks have touched, and how far the scan of addresses is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
