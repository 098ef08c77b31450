import { type Kysely, sql } from 'kysely';

/** Why an investment is not in its vault, and what a settlement pays when owners took their deposits back alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table investments add column release_reason text
    check (release_reason in ('expired', 'failed', 'refunded', 'reclaimed'))`,
  `update investments set release_reason = case status when 'REFUNDED' then 'refunded' else 'expired' end
    where status in ('REFUNDED', 'EXPIRED')`,
  `alter table investments add constraint released_for_a_reason
    check ((status in ('REFUNDED', 'EXPIRED')) = (release_reason is not null))`,
  `alter table settlements add column revision jsonb, add column revised_at timestamptz`,
  `alter table settlements add constraint revised_at_some_time check ((revision is null) = (revised_at is null))`,
  `alter table entitlements add column revised_lovelace numeric(20, 0) check (revised_lovelace >= 0)`,
];
