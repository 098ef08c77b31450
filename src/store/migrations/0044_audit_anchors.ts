import { type Kysely, sql } from 'kysely';

/** Which entries of the audit log are anchored on the ledger, and when an entry was chained, so that none waits for its anchor too long. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_log add column if not exists chained_at timestamptz`.execute(db);
  await sql`create table if not exists audit_anchors (
    seq bigint primary key,
    hash text not null,
    fact_id uuid not null unique
  )`.execute(db);
  await sql`create index if not exists anchor_batches_by_root on anchor_batches (root)`.execute(db);
}
