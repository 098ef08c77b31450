import { type Kysely, sql } from 'kysely';

const statements = [
  `create table terminations (
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
    check ((claims_opened_at is null) = (claim_deadline is null))
  )`,
  `create table claims (
    id uuid primary key,
    vault_id uuid not null references vaults on delete cascade,
    wallet text not null,
    amount numeric(20, 0) not null check (amount > 0),
    payout numeric(39, 0) not null check (payout > 0),
    status text not null check (status in ('PENDING', 'PAID', 'EXPIRED', 'FAILED')),
    claim_transaction_id uuid not null unique references chain_transactions deferrable initially deferred,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index claims_by_vault on claims (vault_id, created_at, id)`,
  `create index claims_by_wallet on claims (wallet, vault_id)`,
  `alter table unsolicited_outputs drop constraint unsolicited_outputs_place_check`,
  `alter table unsolicited_outputs add constraint unsolicited_outputs_place_check
    check (place in ('custody', 'settlement', 'liquidity', 'claims', 'deposit', 'stake'))`,
];

/** The ends of settled vaults, and the claims of their holders (design D31). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
