import { sql } from 'kysely';
import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import type { Db, Transaction } from './database.ts';

/**
 * The tokens of each vault that holders have, in base units: the supply without what its settlement gave to the liquidity address,
 * and without what it kept in custody for deposits that their owners had reclaimed.
 */
export async function circulatingSupplies(
  db: Db | Transaction,
  vaultIds: readonly string[],
): Promise<ReadonlyMap<string, BaseUnits>> {
  if (vaultIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; circulating: string }>`
    select v.id, v.ft_supply - coalesce((s.distribution ->> 'lpFt')::numeric, 0) - coalesce(kept.ft, 0) as circulating
    from vaults v
    left join settlements s on s.vault_id = v.id
    cross join lateral (
      select sum(e.ft) as ft from entitlements e
        left join assets a on a.id = e.deposit_id
        left join investments i on i.id = e.deposit_id
      where e.vault_id = v.id and 'reclaimed' in (a.release_reason, i.release_reason)
    ) kept
    where v.id = any(${[...new Set(vaultIds)]}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, circulating }) => [id, baseUnits(BigInt(circulating))]));
}
