-- Stakes, proposals, votes and executions.

create table stakes (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  wallet text not null,
  amount numeric(20, 0) not null check (amount > 0),
  status text not null check (status in ('ACTIVE', 'LOCKED', 'RELEASED')),
  release_reason text check (release_reason in ('unstaked', 'expired', 'reclaimed')),
  staked_at timestamptz not null,
  final_at timestamptz,
  owner_alone_from timestamptz not null,
  release_slot bigint not null,
  script_address text not null,
  locked_until timestamptz,
  voting_power numeric(20, 0) generated always as (
    case when final_at is not null and status <> 'RELEASED' and unstake_transaction_id is null then amount else 0 end
  ) stored not null,
  used_power numeric(20, 0) not null default 0 check (used_power >= 0),
  stake_transaction_id uuid not null unique references chain_transactions deferrable initially deferred,
  unstake_transaction_id uuid unique references chain_transactions deferrable initially deferred,
  updated_at timestamptz not null,
  reclaim_hash text,
  held_again_at timestamptz,
  vault_key_hash text not null,
  constraint used_power_is_there check (used_power <= voting_power),
  check ((status = 'RELEASED') = (release_reason is not null)),
  check ((status = 'LOCKED') = (locked_until is not null)),
  constraint reclaimed_by_some_transaction check ((release_reason is not distinct from 'reclaimed') = (reclaim_hash is not null))
) with (fillfactor = 50);
create index stakes_by_vault on stakes (vault_id, staked_at, id);
create index stakes_by_wallet on stakes (wallet, vault_id);
create index stakes_with_power on stakes (vault_id, wallet) where voting_power > 0;
create index stakes_by_owner_alone on stakes (owner_alone_from) where voting_power > 0;

create table proposals (
  id uuid primary key,
  vault_id uuid not null references vaults on delete cascade,
  proposer text not null,
  title text not null,
  description text not null,
  type text not null check (type in ('ASSET_SALE', 'BUY', 'STAKE', 'LIQUIDATE')),
  asset_ids uuid[] not null,
  terms jsonb not null,
  thresholds jsonb not null,
  voting_seconds integer not null check (voting_seconds > 0),
  lock_seconds integer not null check (lock_seconds > 0),
  execution_seconds integer not null check (execution_seconds > 0),
  required_cosigners integer not null check (required_cosigners >= 0),
  status text not null check (status in ('DRAFT', 'ACTIVE', 'PASSED', 'FAILED', 'EXECUTED')),
  failure_reason text,
  draft_expires_at timestamptz not null,
  voting_starts_at timestamptz,
  voting_ends_at timestamptz,
  lock_ends_at timestamptz,
  execution_ends_at timestamptz,
  final_tally jsonb,
  ended_at timestamptz,
  released_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  execution_sent boolean not null default false,
  closing_fact_id uuid,
  votes_root text,
  opened_with numeric(20, 0),
  check ((status = 'FAILED') = (failure_reason is not null)),
  check ((status in ('FAILED', 'EXECUTED')) = (ended_at is not null)),
  check ((voting_starts_at is null) = (execution_ends_at is null)),
  check (status not in ('ACTIVE', 'PASSED', 'EXECUTED') or voting_starts_at is not null),
  check (votes_root is null or closing_fact_id is not null),
  constraint opened_with_some_power check ((opened_with is null) = (voting_starts_at is null))
);
create index proposals_by_vault on proposals (vault_id, created_at, id);
create index proposals_under_way on proposals (id) where released_at is null;

create table endorsements (
  id uuid primary key,
  proposal_id uuid not null references proposals on delete cascade,
  wallet text not null,
  created_at timestamptz not null,
  unique (proposal_id, wallet)
);

create table votes (
  id uuid primary key,
  proposal_id uuid not null references proposals on delete cascade,
  wallet text not null,
  decision text not null check (decision in ('APPROVE', 'REJECT')),
  amount numeric(20, 0) not null check (amount > 0),
  status text not null check (status in ('CAST', 'CONFIRMED', 'REVOKED')),
  cast_at timestamptz not null,
  confirmed_at timestamptz,
  revoked_at timestamptz,
  nonce text,
  signature text,
  signing_key text,
  check ((status = 'REVOKED') = (revoked_at is not null)),
  check (status <> 'CONFIRMED' or confirmed_at is not null),
  check (num_nulls(nonce, signature, signing_key) in (0, 3))
) with (fillfactor = 50);
create index votes_by_proposal on votes (proposal_id, cast_at, id);
create unique index one_vote_a_nonce on votes (proposal_id, wallet, nonce) where nonce is not null;
create unique index one_live_vote on votes (proposal_id, wallet) include (decision, amount) where revoked_at is null;

create table vote_stakes (
  vote_id uuid not null references votes on delete cascade,
  stake_id uuid not null references stakes on delete cascade,
  amount numeric(20, 0) not null check (amount > 0),
  primary key (vote_id, stake_id)
);
create index vote_stakes_by_stake on vote_stakes (stake_id);

create table executions (
  id uuid primary key,
  proposal_id uuid not null references proposals on delete cascade,
  vault_id uuid not null references vaults on delete cascade,
  transaction_id uuid not null unique references chain_transactions deferrable initially deferred,
  frozen_by text not null,
  executed_by text,
  action jsonb not null,
  type text not null,
  asset_ids uuid[] not null,
  terms jsonb not null,
  cosigners jsonb not null,
  partner jsonb,
  bought jsonb,
  status text not null check (status in ('FROZEN', 'SENT', 'EXECUTED', 'VOIDED', 'FAILED')),
  reason text,
  created_at timestamptz not null,
  executed_at timestamptz,
  required_cosigners integer not null,
  check ((status in ('SENT', 'EXECUTED')) <= (executed_by is not null)),
  check ((status = 'EXECUTED') = (executed_at is not null)),
  check ((status in ('VOIDED', 'FAILED')) = (reason is not null))
);
create index executions_by_proposal on executions (proposal_id, created_at, id);
create index executions_by_vault on executions (vault_id);
create unique index one_open_execution on executions (proposal_id) where status in ('FROZEN', 'SENT');
