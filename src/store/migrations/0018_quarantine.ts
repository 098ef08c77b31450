import { type Kysely, sql } from 'kysely';

/** Consequences of transactions that failed, or that wait behind one that failed, in the order in which they happened. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table quarantine (
    id bigint generated always as identity primary key,
    transaction_id uuid not null references chain_transactions on delete cascade,
    from_state text not null,
    to_state text not null,
    is_rollback boolean not null,
    block_height bigint,
    error text not null,
    attempts integer not null,
    at timestamptz not null,
    attempted_at timestamptz not null
  )`,
  'create index quarantine_by_transaction on quarantine (transaction_id, id)',
];
