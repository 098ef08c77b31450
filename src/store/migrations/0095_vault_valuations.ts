import { type Kysely, sql } from 'kysely';

/** What each vault was last valued by, so that it is valued again only when something of it has changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table vault_valuations (
    vault_id uuid primary key references vaults on delete cascade,
    basis bytea not null,
    valued_at timestamptz not null
  )`.execute(db);
}
