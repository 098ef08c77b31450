import { type Kysely, sql } from 'kysely';

/** Each claim reads the claims of its vault that are in no block, which are few, and not all that there were. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index if not exists chain_transactions_unlanded_claims on chain_transactions (vault_id, state, created_at)
    where kind = 'claim' and state in ('awaiting_signatures', 'pending', 'submitted')`.execute(db);
}
