import { type Kysely, sql } from 'kysely';

/** Facts without value, the batches they are in, and the lanes of operator money that carry batches to the ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table anchor_lanes (
    id uuid primary key,
    holder uuid,
    held_until timestamptz not null,
    tip jsonb not null
  )`,
  `alter table utxo_leases add column lane_id uuid references anchor_lanes`,
  `alter table utxo_leases alter column transaction_id drop not null`,
  `alter table utxo_leases add check (num_nonnulls(transaction_id, lane_id) = 1)`,
  `create index utxo_leases_by_lane on utxo_leases (lane_id) where lane_id is not null`,
  `create table anchor_batches (
    id uuid primary key,
    lane_id uuid not null references anchor_lanes,
    number bigint generated always as identity,
    transaction_id uuid not null unique references chain_transactions,
    root text not null,
    facts integer not null check (facts > 0),
    landed boolean not null default false
  )`,
  `create index anchor_batches_unlanded on anchor_batches (lane_id, number) where not landed`,
  `create table anchor_attempts (
    transaction_id uuid primary key references chain_transactions,
    batch_id uuid not null references anchor_batches
  )`,
  `create table anchor_facts (
    id uuid primary key,
    batch_id uuid not null references anchor_batches,
    position integer not null,
    vault_id uuid,
    fact text not null,
    leaf text not null,
    unique (batch_id, position)
  )`,
];
