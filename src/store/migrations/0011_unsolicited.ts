import { type Kysely, sql } from 'kysely';

/** Outputs that were sent to an address of a vault without a request. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table unsolicited_outputs (
    tx_hash text not null,
    output_index integer not null,
    vault_id uuid not null references vaults on delete cascade,
    place text not null check (place in ('custody', 'settlement', 'liquidity', 'deposit', 'stake')),
    depositor text,
    address text not null,
    lovelace numeric(20, 0) not null check (lovelace >= 0),
    assets jsonb not null,
    seen_at timestamptz not null,
    gone_at timestamptz,
    return_transaction_id uuid references chain_transactions,
    returned_at timestamptz,
    primary key (tx_hash, output_index),
    check ((place = 'deposit') = (depositor is not null)),
    check (returned_at is null or return_transaction_id is not null)
  )`,
  `create index unsolicited_outputs_by_vault on unsolicited_outputs (vault_id, seen_at, tx_hash, output_index)`,
  `create index unsolicited_outputs_by_return on unsolicited_outputs (return_transaction_id)
    where return_transaction_id is not null`,
];
