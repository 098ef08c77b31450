import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table investments
    add column max_fdv numeric(39, 0) check (max_fdv > 0),
    drop constraint investments_return_reason_check,
    drop constraint investments_release_reason_check`,
  `alter table investments
    add constraint investments_return_reason_check check (return_reason in
      ('value_below_bound', 'fdv_above_bound', 'share_below_one_unit')),
    add constraint investments_release_reason_check check (release_reason in ('expired', 'failed', 'refunded', 'reclaimed',
      'removed', 'value_below_bound', 'fdv_above_bound', 'share_below_one_unit'))`,
];

/** Investments with a bound on the fully diluted valuation (design D41). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
