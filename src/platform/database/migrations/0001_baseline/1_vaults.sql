-- Vaults: their keys, windows, holds, rotations, and the addresses that are watched for them.

create table vaults (
  id uuid primary key,
  name text not null,
  type text not null check (type in ('PUBLIC', 'PRIVATE', 'SEMI_PRIVATE')),
  status text not null check (status in ('DRAFT', 'ACTIVE', 'LOCKED', 'TERMINATED')),
  created_by text not null,
  admin_email jsonb,
  asset_types text[] not null,
  asset_whitelist text[] not null,
  contributor_whitelist text[] not null,
  investor_whitelist text[] not null,
  valuation_type text not null check (valuation_type in ('FIXED', 'LBE')),
  floor_price_percentage integer not null check (floor_price_percentage between 1 and 10000),
  max_assets integer not null check (max_assets between 1 and 100),
  reserve_percentage integer not null check (reserve_percentage between 500 and 5000),
  lp_percentage integer not null check (lp_percentage between 100 and 2000),
  ft_percentage integer not null check (ft_percentage between 100 and 10000),
  ft_supply numeric(20, 0) not null check (ft_supply between 1 and 9200000000000000000),
  ft_decimals integer not null check (ft_decimals between 1 and 9),
  governance jsonb not null,
  termination jsonb not null,
  metadata jsonb not null,
  vault_key_hash text not null,
  policy_key_hash text not null,
  custody jsonb,
  contract_address text not null unique,
  settlement_address text not null,
  policy_id text not null unique,
  ft_unit text,
  settles_by timestamptz not null,
  settles_by_slot bigint not null,
  creation_confirmed_at timestamptz,
  cancel_requested_at timestamptz,
  failed_because text,
  termination_reason text,
  locked_at timestamptz,
  terminated_at timestamptz,
  counted_assets integer not null default 0 check (counted_assets >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  max_share integer not null default 10000 check (max_share between 1 and 10000),
  investor_list_enabled boolean not null,
  deleted_at timestamptz,
  erased_at timestamptz,
  custom_prices jsonb,
  custom_type text,
  type_rules jsonb,
  asset_type_rules jsonb not null,
  published_valuation numeric,
  low_valuations integer not null default 0 check (low_valuations >= 0),
  valuation_counted_at timestamptz,
  claims_open boolean not null default false,
  former_custodies jsonb,
  settlement_key_hash text generated always as (coalesce(former_custodies -> 0 ->> 'vaultKeyHash', vault_key_hash)) stored,
  rotation_id uuid,
  is_rotating boolean not null default false,
  changed_fdp integer,
  check ((status = 'TERMINATED') = (termination_reason is not null))
);
create index vaults_by_admin on vaults (created_by, created_at, id);
create index vaults_to_erase on vaults (id) where deleted_at is not null and erased_at is null;
create index vaults_not_ended on vaults (id) where status <> 'TERMINATED' and deleted_at is null;
create index vaults_by_creation on vaults (created_at, id);
create index vaults_by_update on vaults (updated_at, id);
create index vaults_by_name on vaults (name, id);
create index vaults_by_status on vaults (status, created_at, id);
create index vaults_by_type on vaults (COALESCE(custom_type, type), created_at, id);
create index vaults_shown_by_creation on vaults (created_at, id) where type <> 'PRIVATE' and deleted_at is null;
create index vaults_shown_by_update on vaults (updated_at, id) where type <> 'PRIVATE' and deleted_at is null;
create index vaults_shown_by_name on vaults (name, id) where type <> 'PRIVATE' and deleted_at is null;
create index vaults_shown_by_status on vaults (status, created_at, id) where type <> 'PRIVATE' and deleted_at is null;
create index vaults_shown_by_type on vaults (COALESCE(custom_type, type), created_at, id) where type <> 'PRIVATE' and deleted_at is null;
create index vaults_by_listed_contributor on vaults using gin (contributor_whitelist) where type = 'PRIVATE';
create index vaults_by_listed_investor on vaults using gin (investor_whitelist) where type = 'PRIVATE';

create table vault_keys (
  key_index integer primary key,
  vault_key_hash text not null unique,
  policy_key_hash text not null unique,
  vault_id uuid
);
create index vault_keys_of_vault on vault_keys (vault_id, key_index);

create table windows (
  vault_id uuid not null references vaults on delete cascade,
  kind text not null check (kind in ('asset', 'investment')),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  status text not null check (status in ('PENDING', 'ACTIVE', 'COMPLETED', 'FAILED')),
  closed_at timestamptz,
  recorded_at timestamptz not null default clock_timestamp(),
  check (starts_at < ends_at),
  primary key (vault_id, kind)
);
create index windows_open on windows (ends_at) where status = 'ACTIVE';

create table holds (
  vault_id uuid not null references vaults on delete cascade,
  reason text not null,
  since timestamptz not null,
  primary key (vault_id, reason)
);

create table vault_valuations (
  vault_id uuid primary key references vaults on delete cascade,
  basis bytea not null,
  valued_at timestamptz not null
);

create table rotations (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  reason text not null,
  is_urgent boolean not null,
  target jsonb not null,
  announced_at timestamptz not null,
  starts_at timestamptz not null,
  begun_at timestamptz,
  changed_at timestamptz,
  finished_at timestamptz,
  cancelled_at timestamptz,
  agreements jsonb,
  check (changed_at is null or begun_at is not null),
  check (finished_at is null or changed_at is not null),
  check (cancelled_at is null or begun_at is null)
);
create index rotations_by_vault on rotations (vault_id, announced_at);
create unique index one_open_rotation on rotations (vault_id) where finished_at is null and cancelled_at is null;

create table reclaim_checks (
  vault_id uuid primary key references vaults on delete cascade,
  block_height bigint not null,
  block_hash text not null,
  after uuid
);

create table watched_addresses (
  address text primary key,
  vault_id uuid not null references vaults on delete cascade,
  place text not null,
  depositor text,
  seen_height bigint,
  is_due boolean not null default false
);
create index watched_addresses_by_vault on watched_addresses (vault_id);
create index watched_addresses_due on watched_addresses (vault_id, address) where is_due;
create index watched_addresses_seen on watched_addresses (seen_height) where seen_height is not null;

create table address_scan (
  id boolean primary key default true check (id),
  watched_until timestamptz,
  read_height bigint,
  pass_after uuid,
  pass_until uuid
);
insert into address_scan default values;
