import { type RawBuilder, sql } from 'kysely';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { governingSupply } from '../../vaults/rules/governing-supply.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';

/** The tokens of each vault that holders have, in base units. */
export async function circulatingSupplies(
  db: Db | Transaction,
  vaultIds: readonly string[],
): Promise<ReadonlyMap<string, BaseUnits>> {
  if (vaultIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; circulating: string }>`
    select asked.id, ${circulatingSupply(sql.ref('asked.id'))} as circulating
    from unnest(${[...new Set(vaultIds)]}::uuid[]) as asked (id)
  `.execute(db);
  return new Map(rows.map(({ id, circulating }) => [id, baseUnits(BigInt(circulating))]));
}

/** The tokens of which shares count that holders of a vault need. */
export async function governingSupplyOf(
  db: Db | Transaction,
  vault: Pick<Vault, 'id' | 'claimsOpen' | 'terms'>,
): Promise<BaseUnits> {
  const supplies = await circulatingSupplies(db, vault.claimsOpen ? [vault.id] : []);
  return governingSupply(vault, supplies.get(vault.id) ?? null);
}

/** As `governingSupply` of the domain, of a row of `vaults`. */
export const governingSupplyOfRow = sql<string>`case when vaults.claims_open
  then coalesce(nullif(${circulatingSupply(sql.ref('vaults.id'))}, 0), vaults.ft_supply) else vaults.ft_supply end`;

/**
 * The tokens that holders have of the vault whose id is in this column: the supply without what its settlement gave to the liquidity
 * address, and without what it kept in custody for deposits that their owners had reclaimed.
 */
export function circulatingSupply(vaultId: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`coalesce((select t.circulating from terminations t
    where t.vault_id = ${vaultId} and t.claims_opened_at is not null), (select v.ft_supply - coalesce((s.distribution ->> 'lpFt')::numeric, 0) - coalesce((
      select sum(e.ft) from entitlements e
        left join assets a on a.id = e.deposit_id
        left join investments i on i.id = e.deposit_id
      where e.vault_id = v.id and 'reclaimed' in (a.release_reason, i.release_reason)
    ), 0) from vaults v left join settlements s on s.vault_id = v.id where v.id = ${vaultId}))`;
}
