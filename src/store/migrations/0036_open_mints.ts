import { type Kysely, sql } from 'kysely';

/** A mint that lands beside another one is recorded, as all that the ledger decides; at most one may still reach the ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index if exists one_live_mint`.execute(db);
  await sql`create unique index one_open_mint on chain_transactions (vault_id)
    where kind = 'mint' and state in ('pending', 'submitted')`.execute(db);
}
