import { type Kysely, sql } from 'kysely';

/** The block of each change of a transaction, what spent an input of a failed one, and how deep the worker calls a block final. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table chain_transaction_history add column if not exists block_hash text`.execute(db);
  // The block of an earlier landing, which was rolled back, is not recorded.
  await sql`update chain_transaction_history entry set block_hash = landed.block_hash
    from chain_transactions landed
    where landed.id = entry.transaction_id and landed.state in ('confirmed', 'final') and entry.block_hash is null
      and entry.position >= (select max(position) from chain_transaction_history
        where transaction_id = landed.id and state = 'confirmed')`.execute(db);
  await sql`alter table chain_transactions add column if not exists conflict jsonb`.execute(db);
  await sql`alter table platform add column if not exists confirmation_depth integer not null default 15`.execute(db);
}
