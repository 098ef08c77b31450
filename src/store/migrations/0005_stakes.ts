import { type Kysely, sql } from 'kysely';

/** Fractional tokens that their owners staked in a vault, and keys of the platform in addition to those of a wallet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table chain_transactions add column platform_signers text[] not null default '{}'`,
  `create table stakes (
    id uuid primary key,
    vault_id uuid not null references vaults on delete cascade,
    wallet text not null,
    amount numeric(20, 0) not null check (amount > 0),
    status text not null check (status in ('ACTIVE', 'LOCKED', 'RELEASED')),
    release_reason text check (release_reason in ('unstaked', 'expired')),
    staked_at timestamptz not null,
    final_at timestamptz,
    owner_alone_from timestamptz not null,
    release_slot bigint not null,
    script_address text not null,
    locked_until timestamptz,
    voting_power numeric(20, 0) not null generated always as (
      case when final_at is not null and status <> 'RELEASED' and unstake_transaction_id is null then amount else 0 end
    ) stored,
    used_power numeric(20, 0) not null default 0 check (used_power >= 0),
    stake_transaction_id uuid not null unique references chain_transactions deferrable initially deferred,
    unstake_transaction_id uuid unique references chain_transactions deferrable initially deferred,
    updated_at timestamptz not null,
    constraint used_power_is_there check (used_power <= voting_power),
    check ((status = 'RELEASED') = (release_reason is not null)),
    check ((status = 'LOCKED') = (locked_until is not null))
  )`,
  `create index stakes_by_vault on stakes (vault_id, staked_at, id)`,
  `create index stakes_by_wallet on stakes (wallet, vault_id)`,
  `create index stakes_with_power on stakes (vault_id, wallet) where voting_power > 0`,
];
