import { type Kysely, sql } from 'kysely';

/** Proposals, who endorsed them, and the votes on them with the stakes that carry each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table proposals (
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
    check ((status = 'FAILED') = (failure_reason is not null)),
    check ((status in ('FAILED', 'EXECUTED')) = (ended_at is not null)),
    check ((voting_starts_at is null) = (execution_ends_at is null)),
    check (status not in ('ACTIVE', 'PASSED', 'EXECUTED') or voting_starts_at is not null)
  )`,
  `create index proposals_by_vault on proposals (vault_id, created_at, id)`,
  `create index proposals_under_way on proposals (id) where released_at is null`,
  `create table endorsements (
    id uuid primary key,
    proposal_id uuid not null references proposals on delete cascade,
    wallet text not null,
    created_at timestamptz not null,
    unique (proposal_id, wallet)
  )`,
  `create table votes (
    id uuid primary key,
    proposal_id uuid not null references proposals on delete cascade,
    wallet text not null,
    decision text not null check (decision in ('APPROVE', 'REJECT')),
    amount numeric(20, 0) not null check (amount > 0),
    status text not null check (status in ('CAST', 'CONFIRMED', 'REVOKED')),
    cast_at timestamptz not null,
    confirmed_at timestamptz,
    revoked_at timestamptz,
    check ((status = 'REVOKED') = (revoked_at is not null)),
    check (status <> 'CONFIRMED' or confirmed_at is not null)
  )`,
  `create unique index one_live_vote on votes (proposal_id, wallet) include (decision, amount) where status <> 'REVOKED'`,
  `create index votes_by_proposal on votes (proposal_id, cast_at, id)`,
  `create table vote_stakes (
    vote_id uuid not null references votes on delete cascade,
    stake_id uuid not null references stakes on delete cascade,
    amount numeric(20, 0) not null check (amount > 0),
    primary key (vote_id, stake_id)
  )`,
  `create index vote_stakes_by_stake on vote_stakes (stake_id)`,
];
