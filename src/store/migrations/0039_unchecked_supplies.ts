import { type Kysely, sql } from 'kysely';

/** Assets that arrived as NFTs while the ledger could not say how many of them exist (design D42). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assets add column supply_unchecked boolean not null default false`.execute(db);
}
