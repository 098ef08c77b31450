import { sql } from 'kysely';
import { type Asset, readAsset } from '../../assets/queries/assets.ts';
import { unitOf } from '../../assets/rules/asset.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { rowsAfter } from '../../platform/database/page.ts';
import { type Instant, instant, secondsAfter } from '../../platform/units/time.ts';
import { basisPoints, type Lovelace, lovelace } from '../../platform/units/money.ts';
import { lastPriceColumns, readLastPrice } from './prices.ts';
import type { Price } from '../rules.ts';
import type { LowValuations } from '../../termination/rules/floor-price-deviation.ts';
import { readVault, type Vault } from '../../vaults/queries/vaults.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/viewed-vaults.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';

/** What the settlement of a vault counted, and the current valuation (design D48). */
export interface SettledValuation {
  readonly total: Lovelace;
  readonly at: Instant;
}

/** What the value of a vault depends on. */
export interface ValuedVault {
  readonly terms: Pick<VaultTerms, 'valuationType' | 'floorPricePercentage' | 'maxShare' | 'ftPercentage'>;
  /** Null until it is settled. */
  readonly lockedAt: Instant | null;
  /** Its LOCKED assets, oldest first. */
  readonly locked: readonly Asset[];
  /** The last known prices of the market of those, by policy id followed by asset name. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Null until the settlement is planned. */
  readonly settled: SettledValuation | null;
}

/** What the value of a vault that the reader may see depends on; null for a vault that is deleted or hidden. */
export async function findValuedVault(
  db: Db | Transaction,
  vaultId: string,
  scope: ReaderScope,
): Promise<ValuedVault | null> {
  const vault = await db
    .selectFrom('vaults')
    .leftJoin('settlements', 'settlements.vault_id', 'vaults.id')
    .select(['valuation_type', 'floor_price_percentage', 'max_share', 'ft_percentage', 'locked_at', 'planned_at'])
    .select(sql<string | null>`distribution->>'value'`.as('planned_value'))
    .where('vaults.id', '=', vaultId)
    .where('deleted_at', 'is', null)
    .where(visibleTo(scope))
    .executeTakeFirst();
  if (!vault) return null;
  const assets = await lockedAssetsWithPrices(db, vaultId);
  return {
    terms: {
      valuationType: vault.valuation_type,
      floorPricePercentage: basisPoints(BigInt(vault.floor_price_percentage)),
      maxShare: basisPoints(BigInt(vault.max_share)),
      ftPercentage: basisPoints(BigInt(vault.ft_percentage)),
    },
    lockedAt: vault.locked_at && instant(vault.locked_at),
    locked: assets.map(({ asset }) => asset),
    prices: new Map(assets.flatMap(({ asset, price }) => (price === null ? [] : [[unitOf(asset), price]]))),
    settled:
      vault.planned_value === null || vault.planned_at === null
        ? null
        : { total: lovelace(BigInt(vault.planned_value)), at: instant(vault.planned_at) },
  };
}

/** The LOCKED assets of a vault, oldest first, each with the last known price of its class. */
async function lockedAssetsWithPrices(db: Db | Transaction, vaultId: string) {
  const rows = await db
    .selectFrom('assets')
    .leftJoin('prices as latest', (join) =>
      join.onRef('latest.policy_id', '=', 'assets.policy_id').onRef('latest.asset_name', '=', 'assets.asset_name'),
    )
    .selectAll('assets')
    .select(lastPriceColumns)
    .where('assets.vault_id', '=', vaultId)
    .where('assets.status', '=', 'LOCKED')
    .orderBy('assets.added_at')
    .orderBy('assets.id')
    .execute();
  return rows.map((row) => ({ asset: readAsset(row), price: readLastPrice(row) }));
}

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

/** Locks a vault until the transaction ends; null for one that was deleted. */
export async function lockVaultToValue(tx: Transaction, vaultId: string): Promise<Vault | null> {
  const query = tx.selectFrom('vaults').selectAll().where('id', '=', vaultId).where('deleted_at', 'is', null);
  const row = await query.forUpdate().executeTakeFirst();
  return row ? readVault(row) : null;
}

/** Stores the valuation of a vault that is published; returns false when the last published one is the same. */
export async function setPublishedValuation(tx: Transaction, vaultId: string, total: Lovelace): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('vaults')
    .set({ published_valuation: total })
    .where('id', '=', vaultId)
    .where(sql<boolean>`coalesce(published_valuation, 0) <> ${total}`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Locks a settled vault whose end is not decided, and reads its low valuations in a row; null for another vault. */
export async function lockLowValuations(tx: Transaction, vaultId: string): Promise<LowValuations | null> {
  const row = await tx
    .selectFrom('vaults')
    .select(['low_valuations', 'valuation_counted_at'])
    .where('id', '=', vaultId)
    .where('status', '=', 'LOCKED')
    .where('failed_because', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row
    ? { count: row.low_valuations, countedAt: row.valuation_counted_at && instant(row.valuation_counted_at) }
    : null;
}

export async function setLowValuations(
  tx: Transaction,
  vaultId: string,
  { count, countedAt }: LowValuations,
): Promise<void> {
  await tx
    .updateTable('vaults')
    .set({ low_valuations: count, valuation_counted_at: countedAt === null ? null : new Date(countedAt) })
    .where('id', '=', vaultId)
    .execute();
}
