-- What is put into vaults, what a settlement gives for it, and what claims pay in the end.

create table assets (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  type text not null check (type in ('NFT', 'CNT')),
  policy_id text not null,
  asset_name text not null,
  quantity numeric(20, 0) not null check (quantity > 0),
  decimals integer not null,
  valuation_method text not null,
  metadata jsonb not null,
  added_by text not null,
  status text not null check (status in ('PENDING', 'LOCKED', 'RELEASED')),
  release_reason text,
  price numeric(39, 0) not null,
  priced_at timestamptz not null,
  price_source text not null,
  counted_price numeric(39, 0),
  delivery_deposit numeric(20, 0) not null,
  add_transaction_id uuid not null references chain_transactions deferrable initially deferred,
  remove_transaction_id uuid references chain_transactions,
  locked_at timestamptz,
  released_at timestamptz,
  added_at timestamptz not null,
  updated_at timestamptz not null,
  staking_address text,
  return_reason text check (return_reason in ('share_below_one_unit', 'share_of_value_capped')),
  market_limit numeric(39, 0),
  counted_value numeric(39, 0),
  counted_at timestamptz,
  counted_source text,
  deposit_index integer not null default 0,
  supply_unchecked boolean not null default false,
  custom_type text,
  reclaim_hash text,
  price_seal text,
  counted_seal text
);
create index assets_by_vault on assets (vault_id, added_at, id);
create index assets_by_addition on assets (add_transaction_id);
create index assets_by_removal on assets (remove_transaction_id) where remove_transaction_id is not null;
create index assets_by_owner on assets (added_by, vault_id);
create unique index one_vault_per_nft on assets (policy_id, asset_name) where type = 'NFT' and status = 'LOCKED';
create index nfts_on_their_way on assets (policy_id, asset_name) where type = 'NFT' and status = 'PENDING';
create index assets_in_vault on assets (vault_id, added_at, id) where status = 'LOCKED';
create index assets_reclaimed on assets (vault_id, id) where release_reason = 'reclaimed';
create index assets_to_price on assets (policy_id, asset_name) where status in ('PENDING', 'LOCKED') and valuation_method <> 'custom';

create table investments (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  wallet text not null,
  lovelace numeric(20, 0) not null check (lovelace > 0),
  delivery_deposit numeric(20, 0) not null,
  status text not null check (status in ('PENDING', 'CONFIRMED', 'SETTLED', 'REFUNDED', 'EXPIRED')),
  transaction_id uuid not null references chain_transactions deferrable initially deferred,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  release_reason text check (release_reason in ('expired', 'failed', 'refunded', 'reclaimed', 'removed', 'value_below_bound', 'fdv_above_bound', 'share_below_one_unit')),
  min_vault_value numeric(39, 0) not null default 0 check (min_vault_value >= 0),
  remove_transaction_id uuid references chain_transactions,
  return_reason text check (return_reason in ('value_below_bound', 'fdv_above_bound', 'share_below_one_unit')),
  max_fdv numeric(39, 0) check (max_fdv > 0),
  reclaim_hash text,
  constraint released_for_a_reason check ((status in ('REFUNDED', 'EXPIRED')) = (release_reason is not null))
);
create index investments_by_vault on investments (vault_id, created_at, id);
create index investments_by_transaction on investments (transaction_id);
create index investments_by_wallet on investments (wallet, vault_id);
create index investments_by_removal on investments (remove_transaction_id) where remove_transaction_id is not null;
create index investments_in_vault on investments (vault_id, created_at, id) where status = 'CONFIRMED';
create index investments_to_return on investments (vault_id, created_at, id) where status = 'CONFIRMED' and return_reason is not null;
create index investments_reclaimed on investments (vault_id, id) where release_reason = 'reclaimed';

create table prices (
  policy_id text not null,
  asset_name text not null,
  lovelace numeric(39, 0) not null check (lovelace >= 0),
  decimals integer not null check (decimals between 0 and 9),
  as_of timestamptz not null,
  source text not null,
  market_limit numeric(39, 0),
  primary key (policy_id, asset_name)
);

create table settlements (
  vault_id uuid primary key references vaults on delete cascade,
  distribution jsonb not null,
  planned_at timestamptz not null,
  revision jsonb,
  revised_at timestamptz,
  constraint revised_at_some_time check ((revision is null) = (revised_at is null))
);

create table entitlements (
  vault_id uuid not null references settlements on delete cascade,
  deposit_id uuid not null,
  deposit_kind text not null check (deposit_kind in ('asset', 'investment')),
  wallet text not null,
  position integer not null,
  ft numeric(20, 0) not null check (ft >= 0),
  lovelace numeric(20, 0) not null check (lovelace >= 0),
  revised_lovelace numeric(20, 0) check (revised_lovelace >= 0),
  primary key (vault_id, deposit_id)
);

create table terminations (
  vault_id uuid primary key references vaults on delete cascade,
  decided_at timestamptz not null,
  remaining_assets_to text,
  unclaimed_lovelace_to text,
  handed_assets jsonb not null default '[]',
  claim_seconds integer not null check (claim_seconds > 0),
  float_lovelace numeric(39, 0) not null default 0 check (float_lovelace >= 0),
  pot_lovelace numeric(39, 0) not null default 0 check (pot_lovelace >= 0),
  circulating numeric(20, 0) not null default 0 check (circulating >= 0),
  claims_opened_at timestamptz,
  claim_deadline timestamptz,
  ended_because text check (ended_because in ('nothing_left', 'claim_deadline')),
  grace_seconds integer not null default 0,
  claims_ended_at timestamptz,
  liquidity_elsewhere boolean,
  sale_seconds integer not null default 0,
  check ((claims_opened_at is null) = (claim_deadline is null))
);

create table claims (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  wallet text not null,
  amount numeric(20, 0) not null check (amount > 0),
  payout numeric(39, 0) not null check (payout > 0),
  status text not null check (status in ('PENDING', 'PAID', 'EXPIRED', 'FAILED')),
  claim_transaction_id uuid not null unique references chain_transactions deferrable initially deferred,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index claims_by_vault on claims (vault_id, created_at, id);
create index claims_by_wallet on claims (wallet, vault_id);
