import { sql } from 'kysely';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import { rowsAfter } from '../../platform/database/page.ts';

/** A vault, and a hash of all that its value depends on. */
export interface VaultToValue {
  readonly id: string;
  readonly basis: Buffer;
}

/** After this a vault is valued again whatever its basis is: a new release may value the same differently. */
const VALUED_FOR_SECONDS = 24 * 3600;

/**
 * The rows of a vault's assets, their prices, and what of the vault its value and its end by a floor price deviation depend on. How old the
 * prices are matters to that end only: an older price counts as little as one that was counted before (design D30).
 */
const basis = sql<Buffer>`(
  select sha256(convert_to(concat(
    row(vaults.status, vaults.locked_at, vaults.valuation_type, vaults.floor_price_percentage, vaults.max_share,
      vaults.custom_prices, vaults.termination, vaults.changed_fdp, vaults.failed_because)::text,
    string_agg(concat(assets::text, row(prices.lovelace, prices.decimals, prices.market_limit, case
      when vaults.status = 'LOCKED' and coalesce(to_jsonb(vaults.changed_fdp), vaults.termination -> 'fdp') > '0'
      then prices.as_of end)::text), '' order by assets.id)), 'UTF8'))
  from assets left join prices on prices.policy_id = assets.policy_id and prices.asset_name = assets.asset_name
  where assets.vault_id = vaults.id and assets.status = 'LOCKED')`;

/**
 * Of the next vaults, by id, that have not ended and that have an asset, or whose last published valuation counted one: those whose basis
 * is not that of their last valuation. `last` is null at the end.
 */
export async function vaultsToValue(
  db: Db,
  after: string | null,
  { limit, now }: { readonly limit: number; readonly now: Instant },
): Promise<{ readonly due: VaultToValue[]; readonly last: string | null }> {
  const valued = db
    .selectFrom('vaults')
    .select(['id', basis.as('basis')])
    .select((query) => [
      query
        .selectFrom('vault_valuations')
        .select('vault_valuations.basis')
        .whereRef('vault_id', '=', 'vaults.id')
        .where('valued_at', '>', new Date(secondsAfter(now, -VALUED_FOR_SECONDS)))
        // A clock that is set back would let it count for longer.
        .where('valued_at', '<=', new Date(now))
        .as('valuedBasis'),
    ])
    .where('status', '!=', 'TERMINATED')
    .where('deleted_at', 'is', null)
    .where((query) =>
      query.or([
        query('published_valuation', '>', '0'),
        // With `exists`, Postgres may read the assets of all vaults for each page.
        sql<boolean>`(select true from assets where assets.vault_id = vaults.id and assets.status = 'LOCKED' limit 1)`,
      ]),
    );
  const rows = await rowsAfter(valued, { columns: ['id'], after: after === null ? null : [after], limit }).execute();
  const due = rows.filter((row) => row.valuedBasis === null || !row.basis.equals(row.valuedBasis));
  return { due, last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** Records by what vaults were valued, without those of which something has changed since it was read. */
export async function setValued(db: Db, vaults: readonly VaultToValue[], now: Instant): Promise<void> {
  if (vaults.length === 0) return;
  await sql`
    insert into vault_valuations (vault_id, basis, valued_at)
    select valued.id, valued.basis, ${new Date(now)}
    from unnest(${vaults.map(({ id }) => id)}::uuid[], ${vaults.map((vault) => vault.basis)}::bytea[]) as valued (id, basis),
      -- With a join, Postgres may compute it for all vaults.
      lateral (select ${basis} as basis from vaults where vaults.id = valued.id offset 0) as present
    where present.basis = valued.basis
    on conflict (vault_id) do update set basis = excluded.basis, valued_at = excluded.valued_at`.execute(db);
}
