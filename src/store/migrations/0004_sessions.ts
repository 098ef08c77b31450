import { type Kysely, sql } from 'kysely';

/** Wallets that log in: what they are asked to sign, and what they then hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table login_nonces (
    nonce text primary key,
    wallet text not null,
    expires_at timestamptz not null
  )`,
  `create index login_nonces_by_expiry on login_nonces (expires_at)`,
  `create table sessions (
    id uuid primary key,
    token_hash bytea not null unique check (length(token_hash) = 32),
    wallet text not null,
    key_hash text not null,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    expires_at timestamptz not null,
    ends_at timestamptz not null,
    check (expires_at <= ends_at)
  )`,
  `create index sessions_by_wallet on sessions (wallet, created_at, id)`,
  `create index sessions_by_expiry on sessions (expires_at)`,
];
