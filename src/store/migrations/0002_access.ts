import { type Kysely, sql } from 'kysely';

/** Who may call, how often, and the responses to repeated calls. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table api_keys (
    id text primary key check (id ~ '^[0-9a-f]{32}$'),
    environment text not null,
    name text not null,
    secret_hash bytea not null check (length(secret_hash) = 32),
    roles text[] not null,
    permissions jsonb not null default '[]',
    rate_limit integer check (rate_limit > 0),
    created_by text not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz
  )`,
  `create table idempotency_keys (
    api_key_id text not null,
    operation text not null,
    key text not null check (length(key) between 1 and 255),
    fingerprint bytea not null,
    status integer,
    body text,
    expires_at timestamptz not null,
    primary key (api_key_id, operation, key)
  )`,
  `create index idempotency_keys_by_expiry on idempotency_keys (expires_at)`,
  // Unlogged: counters may be lost in a crash of Postgres, and every request writes one.
  `create unlogged table rate_limits (
    caller text primary key,
    hits integer not null,
    resets_at timestamptz not null
  )`,
  `create index rate_limits_by_reset on rate_limits (resets_at)`,
];
