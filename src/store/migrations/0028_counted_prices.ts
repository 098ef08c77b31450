import { type Kysely, sql } from 'kysely';

/** When and where the price that a settlement counts was taken. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assets add column counted_at timestamptz, add column counted_source text`.execute(db);
}
