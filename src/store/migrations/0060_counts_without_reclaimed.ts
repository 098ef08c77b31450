import { type Kysely, sql } from 'kysely';

/** Assets that their owners took back during a settlement were still counted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update vaults set counted_assets = (select count(*) from assets where vault_id = vaults.id and status = 'LOCKED')
    where status = 'LOCKED'
      and exists (select from assets where vault_id = vaults.id and release_reason = 'reclaimed')`.execute(db);
}
