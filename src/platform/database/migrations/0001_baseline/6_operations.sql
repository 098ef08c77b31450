-- Events, messages to workflows, the development clock, registered types, versions and reconciliations.

create table outbox (
  id uuid primary key,
  seq bigint unique,
  type text not null,
  vault_id uuid,
  actor text not null,
  transaction_hash text,
  correlation_id text not null,
  data jsonb not null,
  occurred_at timestamptz not null,
  recorded bigint generated always as identity,
  wallets jsonb
);
create index outbox_unsequenced on outbox (recorded) where seq is null;
create index outbox_by_vault_and_time on outbox (vault_id, occurred_at, id);
create index outbox_by_wallet on outbox using gin (wallets jsonb_path_ops) where wallets is not null;
create index outbox_by_vault on outbox (vault_id, seq) where seq is not null;
create index outbox_by_proposal on outbox ((data ->> 'proposalId'), seq) where seq is not null and data ->> 'proposalId' is not null;
create index outbox_by_actor on outbox (actor, seq) where seq is not null and actor <> 'platform';

create table workflow_notices (
  id uuid primary key,
  workflow_id text not null,
  message jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  sent_at timestamptz
);
create index workflow_notices_unsent on workflow_notices (created_at) where sent_at is null;
create index workflow_notices_sent on workflow_notices (sent_at) where sent_at is not null;

create table clock_offset (
  id boolean primary key default true check (id),
  offset_ms bigint not null default 0 check (offset_ms >= 0)
);

insert into clock_offset default values;

-- Every process hears of a move of the development clock when it is committed.
create function notify_clock_offset() returns trigger language plpgsql as $$
  begin
    perform pg_notify('clock_offset', new.offset_ms::text);
    return null;
  end
$$;
create trigger clock_offset_told after update on clock_offset for each row when (old.offset_ms <> new.offset_ms)
  execute function notify_clock_offset();

-- One call for each transaction instead of two statements. Each statement of a volatile function sees what was committed before it, so the
-- offset is read after its lock is held.
create function locked_clock_offset() returns numeric language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('clock', 0));
    return (select offset_ms from clock_offset);
  end
$$;

create table worker_presence (
  worker_id uuid primary key,
  seen_at timestamptz not null
);

create table pauses (
  area text primary key check (area in ('creation', 'contribution', 'investment', 'governance')),
  reason text not null,
  since timestamptz not null
);

create table registered_types (
  kind text not null check (kind in ('vault', 'asset')),
  name text not null check (name ~ '^[A-Z][A-Z0-9_]{0,39}$'),
  description text not null,
  rules jsonb not null,
  built_in boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  retired_at timestamptz,
  primary key (kind, name)
);

-- As vault-type.ts and asset-type.ts have them; a test compares both.
insert into registered_types (kind, name, description, rules, built_in, created_at, updated_at)
select kind, name, description, rules::jsonb, true, now(), now() from (values
  ('vault', 'PUBLIC', 'Anyone may read, contribute and invest',
    '{"readers": "anyone", "contributors": "anyone", "investors": "anyone", "valuationTypes": ["FIXED", "LBE"], "assetTypes": []}'),
  ('vault', 'PRIVATE', 'Only the admin and wallets on the whitelists may contribute and invest',
    '{"readers": "participants", "contributors": "listed", "investors": "listed", "valuationTypes": ["FIXED", "LBE"], "assetTypes": []}'),
  ('vault', 'SEMI_PRIVATE', 'Anyone may read; a whitelist that is not empty restricts',
    '{"readers": "anyone", "contributors": "listed_unless_empty", "investors": "listed_unless_empty",
      "valuationTypes": ["FIXED", "LBE"], "assetTypes": []}'),
  ('asset', 'NFT', 'A token of which the ledger has one base unit in all',
    '{"base": "NFT", "minQuantity": 1, "maxQuantity": 1, "priceSources": ["market", "admin"]}'),
  ('asset', 'CNT', 'Any other token, in a quantity',
    '{"base": "CNT", "minQuantity": 1, "maxQuantity": 1000000, "priceSources": ["market", "admin"]}')
) as built_in (kind, name, description, rules);

create table announcements (
  id uuid primary key,
  kind text not null check (kind in ('NEW_VERSION', 'DEPRECATION', 'END_OF_LIFE')),
  version text not null,
  message text not null,
  effective_at timestamptz,
  link text,
  created_by text not null,
  created_at timestamptz not null
);
create index announcements_by_time on announcements (created_at);

create table feature_flags (
  name text primary key,
  enabled boolean not null,
  version text not null,
  rollout integer not null check (rollout between 0 and 10000),
  client_ids text[] not null,
  environments text[] not null,
  starts_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table version_usage (
  day timestamptz not null,
  version text not null,
  requests bigint not null check (requests >= 0),
  errors bigint not null,
  duration_ms bigint not null check (duration_ms >= 0),
  check (errors >= 0 and errors <= requests),
  primary key (day, version)
);

create table version_clients (
  day timestamptz not null,
  version text not null,
  api_key_id text not null,
  primary key (day, version, api_key_id)
);

create table reconciliations (
  id uuid primary key,
  started_by text not null check (started_by in ('schedule', 'operator')),
  started_at timestamptz not null,
  ended_at timestamptz,
  vaults integer not null default 0,
  last_position integer not null default 0,
  vaults_left integer not null default 0
);
create index reconciliations_by_start on reconciliations (started_at, id);

create table reconciliation_differences (
  id bigint generated always as identity primary key,
  reconciliation_id uuid not null references reconciliations on delete cascade,
  vault_id uuid not null,
  kind text not null check (kind in ('correctness', 'completeness')),
  code text not null,
  subject text not null,
  books text not null,
  ledger text not null
);
create index reconciliation_differences_by_report on reconciliation_differences (reconciliation_id, vault_id, id);

create table reconciliation_vaults (
  reconciliation_id uuid not null references reconciliations on delete cascade,
  position integer not null,
  vault_id uuid not null,
  primary key (reconciliation_id, position)
);

create table vault_comparisons (
  vault_id uuid primary key references vaults on delete cascade,
  compared_at timestamptz not null
);
create index vault_comparisons_by_time on vault_comparisons (compared_at, vault_id);
