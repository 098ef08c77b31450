import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table vaults add column low_valuations integer not null default 0 check (low_valuations >= 0)`,
  'alter table vaults add column valuation_counted_at timestamptz',
  'alter table vaults add column claims_open boolean not null default false',
];

/**
 * The valuations in a row below the floor price deviation of a vault, the newest price among those counted (design D30), and whether
 * its holders can claim and decide sales (design D31).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
