import { type Kysely, sql } from 'kysely';

const statements = [
  'create index shown_transactions_by_time on chain_transactions (created_at, id) where shown',
  'create index shown_transactions_by_update on chain_transactions (updated_at, id) where shown',
  'create index shown_transactions_by_state on chain_transactions (state, created_at, id) where shown',
  'create index shown_transactions_by_kind on chain_transactions (kind, created_at, id) where shown',
  // Of all transactions at first, and of none once the sweep has been through them.
  'create index chain_transactions_unfilled on chain_transactions (created_at, id) where shown is null',
];

/** Those lists that a stranger reads, as migration 0087 has them for an ADMIN. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
