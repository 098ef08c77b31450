import { type Kysely, sql } from 'kysely';

const statements = [
  `create table wallet_roles (
    wallet text primary key,
    roles text[] not null,
    updated_by text not null,
    updated_at timestamptz not null
  )`,
  // The key that a rotation replaced. A key is replaced once.
  `alter table api_keys add column replaces text unique references api_keys (id)`,
  `create index api_keys_by_creation on api_keys (created_at, id)`,
];

/** Roles of wallets, and the rotation of API keys (design D38). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
