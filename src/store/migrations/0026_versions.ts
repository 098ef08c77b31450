import { type Kysely, sql } from 'kysely';

/** Who uses which version of the API, what was announced about versions, and the feature flags. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table version_usage (
    day timestamptz not null,
    version text not null,
    requests bigint not null check (requests >= 0),
    errors bigint not null check (errors between 0 and requests),
    duration_ms bigint not null check (duration_ms >= 0),
    primary key (day, version)
  )`,
  `create table version_clients (
    day timestamptz not null,
    version text not null,
    api_key_id text not null,
    primary key (day, version, api_key_id)
  )`,
  `create table announcements (
    id uuid primary key,
    kind text not null check (kind in ('NEW_VERSION', 'DEPRECATION', 'END_OF_LIFE')),
    version text not null,
    message text not null,
    effective_at timestamptz,
    link text,
    created_by text not null,
    created_at timestamptz not null
  )`,
  `create index announcements_by_time on announcements (created_at)`,
  `create table feature_flags (
    name text primary key,
    enabled boolean not null,
    version text not null,
    rollout integer not null check (rollout between 0 and 10000),
    client_ids text[] not null,
    environments text[] not null,
    starts_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
];
