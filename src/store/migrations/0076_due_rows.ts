import { type Kysely, sql } from 'kysely';

const statements = [
  `create index changes_by_time on changes (at)`,
  `create index assets_to_price on assets (policy_id, asset_name)
    where status in ('PENDING', 'LOCKED') and valuation_method <> 'custom'`,
  `create index vaults_not_ended on vaults (id) where status <> 'TERMINATED' and deleted_at is null`,
];

/** Jobs find what is due without reading what has ended, or what is not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
