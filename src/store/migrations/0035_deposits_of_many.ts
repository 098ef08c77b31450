import { type Kysely, sql } from 'kysely';

/** Which output of the transaction that adds an asset holds it: a transaction may add several. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assets add column deposit_index int not null default 0`.execute(db);
}
