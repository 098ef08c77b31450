import { type Kysely, sql } from 'kysely';

/** When a worker last said that it takes tasks. Null until one of this version runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table platform add column worker_seen_at timestamptz`.execute(db);
}
