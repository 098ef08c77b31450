import { type RawBuilder, sql } from 'kysely';
import type { AssetStatus } from '../../assets/rules/asset.ts';
import type { InvestmentStatus } from '../../investments/rules/investment.ts';

/** The vaults that hold a deposit, as a relation: each is one step in an index, however many have ended. */
export function holdingVaults(table: 'assets' | 'investments', status: AssetStatus | InvestmentStatus) {
  const next = (after: RawBuilder<unknown>) => sql`(select vault_id from ${sql.table(table)}
    where status = ${sql.lit(status)} and vault_id > ${after} order by vault_id limit 1)`;
  return sql`(with recursive holding as (
      select ${next(sql`'00000000-0000-0000-0000-000000000000'::uuid`)} as vault_id
      union all
      select ${next(sql`holding.vault_id`)} from holding where vault_id is not null)
    select vault_id from holding where vault_id is not null)`;
}
