import { type Kysely, sql } from 'kysely';

/** Assets that a settlement returns because they would count with too little of their value (design D12). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table assets drop constraint assets_return_reason_check`.execute(db);
  await sql`alter table assets add constraint assets_return_reason_check
    check (return_reason in ('share_below_one_unit', 'share_of_value_capped'))`.execute(db);
}
