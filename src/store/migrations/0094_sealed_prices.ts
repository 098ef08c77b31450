import { type Kysely, sql } from 'kysely';

/** The worker's seals on the prices that it has decided; null for those of before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assets add column price_seal text, add column counted_seal text`.execute(db);
}
