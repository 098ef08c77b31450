import { type Kysely, sql } from 'kysely';

const statements = [
  // What was contributed before keeps its price.
  'alter table assets add column price_checked boolean not null default true',
  'alter table assets alter column price_checked set default false',
  `create function keep_what_assets_count_with() returns trigger language plpgsql as $$
    begin
      if exists (select from windows where vault_id = old.id and kind = 'asset' and status <> 'PENDING') then
        raise exception 'the asset window of vault % has opened: its assets count by other rules', old.id;
      end if;
      return new;
    end
  $$`,
  `create trigger counting_rules_stay before update of custom_prices, valuation_type on vaults for each row
    when (old.custom_prices is distinct from new.custom_prices or old.valuation_type is distinct from new.valuation_type)
    execute function keep_what_assets_count_with()`,
];

/** The worker reads the price of what is contributed to a FIXED vault, and what assets count with stays once their window is open. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
