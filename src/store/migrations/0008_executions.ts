import { type Kysely, sql } from 'kysely';

/** Executions of passed proposals, and where an asset of a vault is staked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table assets add column staking_address text`,
  `alter table proposals add column execution_sent boolean not null default false`,
  `create table executions (
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
    check ((status in ('SENT', 'EXECUTED')) <= (executed_by is not null)),
    check ((status = 'EXECUTED') = (executed_at is not null)),
    check ((status in ('VOIDED', 'FAILED')) = (reason is not null))
  )`,
  `create unique index one_live_execution on executions (proposal_id) where status in ('FROZEN', 'SENT', 'EXECUTED')`,
  `create index executions_by_proposal on executions (proposal_id, created_at, id)`,
];
