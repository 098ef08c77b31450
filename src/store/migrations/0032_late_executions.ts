import { type Kysely, sql } from 'kysely';

/** An execution that lands after it was given up is EXECUTED beside another one of its proposal. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index if exists one_live_execution`.execute(db);
  await sql`create unique index one_open_execution on executions (proposal_id) where status in ('FROZEN', 'SENT')`.execute(
    db,
  );
}
