import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table vaults add column max_share integer not null default 10000 check (max_share between 1 and 10000)`,
  `alter table prices add column market_limit numeric(39, 0)`,
  `alter table assets add column market_limit numeric(39, 0), add column counted_value numeric(39, 0)`,
];

/** What the market of an asset can take, the largest share of one policy in a vault, and the values that a settlement counted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
