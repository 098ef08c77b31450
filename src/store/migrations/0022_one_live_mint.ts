import { type Kysely, sql } from 'kysely';

/** At most one mint of a vault is on the ledger or may still reach it (design D43). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unique index if not exists one_live_mint on chain_transactions (vault_id)
    where kind = 'mint' and state not in ('expired', 'failed')`.execute(db);
}
