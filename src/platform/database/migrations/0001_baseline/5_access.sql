-- Who may do what, who did it, and how often.

create table api_keys (
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
  revoked_at timestamptz,
  replaces text unique references api_keys
);
create index api_keys_by_creation on api_keys (created_at, id);

create table sessions (
  id uuid primary key,
  token_hash bytea not null unique check (length(token_hash) = 32),
  wallet text not null,
  key_hash text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ends_at timestamptz not null,
  check (expires_at <= ends_at)
);
create index sessions_by_wallet on sessions (wallet, created_at, id);
create index sessions_by_expiry on sessions (expires_at);

create table login_nonces (
  nonce text primary key,
  wallet text not null,
  expires_at timestamptz not null
);
create index login_nonces_by_expiry on login_nonces (expires_at);

create table wallet_roles (
  wallet text primary key,
  roles text[] not null,
  updated_by text not null,
  updated_at timestamptz not null
);

create table audit_log (
  id uuid primary key,
  seq bigint unique,
  action text not null,
  actor_id text not null,
  actor_type text not null check (actor_type in ('API_KEY', 'WALLET', 'SYSTEM')),
  resource_type text not null,
  resource_id text not null,
  metadata jsonb not null,
  at timestamptz not null,
  previous_hash text,
  hash text,
  recorded bigint generated always as identity,
  chained_at timestamptz
);
create index audit_log_unsequenced on audit_log (recorded) where seq is null;
create index audit_log_by_time on audit_log (at, id);
create index audit_log_by_actor on audit_log (actor_id, at, id);
create index audit_log_by_resource on audit_log (resource_id, at, id);
create index audit_log_by_action on audit_log (action, at, id);
create index audit_log_by_resource_type on audit_log (resource_type, at, id);

create table audit_anchors (
  seq bigint primary key,
  hash text not null,
  fact_id uuid not null unique
);

create table anchored_actions (
  id bigint generated always as identity primary key,
  wallet text not null,
  kind text not null,
  at timestamptz not null
);
create index anchored_actions_by_wallet on anchored_actions (wallet, kind, at);
create index anchored_actions_by_time on anchored_actions (at);

create table idempotency_keys (
  api_key_id text not null,
  operation text not null,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  status integer,
  body text,
  expires_at timestamptz not null,
  primary key (api_key_id, operation, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

create unlogged table rate_limits (
  caller text primary key,
  hits integer not null,
  resets_at timestamptz not null
);
create index rate_limits_by_reset on rate_limits (resets_at);
