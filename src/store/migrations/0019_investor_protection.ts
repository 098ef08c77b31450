import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table investments
    add column min_vault_value numeric(39, 0) not null default 0 check (min_vault_value >= 0),
    add column remove_transaction_id uuid references chain_transactions,
    add column return_reason text check (return_reason in ('value_below_bound', 'share_below_one_unit'))`,
  `alter table assets add column return_reason text check (return_reason = 'share_below_one_unit')`,
  `alter table investments drop constraint investments_release_reason_check`,
  `alter table investments add constraint investments_release_reason_check check (release_reason in
    ('expired', 'failed', 'refunded', 'reclaimed', 'removed', 'value_below_bound', 'share_below_one_unit'))`,
  `create index investments_by_removal on investments (remove_transaction_id) where remove_transaction_id is not null`,
];

/** Investments with a bound, taken back by their owner, or returned by the settlement (design D41). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
