import { type Kysely, sql } from 'kysely';

const statements = [
  // What is still to be paid or returned is found without reading what has been.
  `create index investments_in_vault on investments (vault_id, created_at, id) where status = 'CONFIRMED'`,
  `create index investments_to_return on investments (vault_id, created_at, id)
    where status = 'CONFIRMED' and return_reason is not null`,
  `create index assets_in_vault on assets (vault_id, added_at, id) where status = 'LOCKED'`,
  `create index investments_reclaimed on investments (vault_id, id) where release_reason = 'reclaimed'`,
  `create index assets_reclaimed on assets (vault_id, id) where release_reason = 'reclaimed'`,
  `create index open_transactions_by_vault on chain_transactions (vault_id, kind)
    where state in ('awaiting_signatures', 'pending', 'submitted', 'confirmed')`,
  `create table reclaim_checks (
    vault_id uuid primary key references vaults on delete cascade,
    block_height bigint not null,
    block_hash text not null,
    after uuid
  )`,
];

/** Settlements and refunds of many deposits, and how far the reclaimed ones were checked against the ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
