import { type Selectable, sql } from 'kysely';
import type { Asset } from '../../assets/queries/assets.ts';
import { type AssetClass, unitOf } from '../../assets/rules/asset.ts';
import { anyOf, bulkInsert } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { PricesTable } from '../../platform/database/tables/deposits.ts';
import { ServiceError } from '../../platform/errors.ts';
import { type Instant, instant, isoText } from '../../platform/units/time.ts';
import { lovelace, type Lovelace } from '../../platform/units/money.ts';
import { isFromFuture, type Price, type SealedPrice } from '../rules.ts';

/** A price of the market. */
export interface ClassPrice {
  readonly asset: AssetClass;
  readonly price: Price;
}

/**
 * Stores prices of different classes, each unless a newer one is stored; one that is dated in the future is replaced. Throws
 * PRICE_UNAVAILABLE for such a price.
 */
export async function storePrices(db: Db | Transaction, prices: readonly ClassPrice[], now: Instant): Promise<void> {
  if (prices.length === 0) return;
  const names = Object.keys(stored) as (keyof typeof stored)[];
  const rowOf = (place: string) => sql`(${sql.join(names.map((column) => sql.ref(`${place}.${column}`)))})`;
  // In one order everywhere, so that statements that change the same prices do not wait for each other in a circle.
  const inOrder = [...prices].sort((one, other) => (unitOf(one.asset) < unitOf(other.asset) ? -1 : 1));
  const rows = inOrder.map((one) => newRow(one, now));
  const upsert = bulkInsert(db, 'prices', columns, rows).onConflict((conflict) =>
    conflict
      .columns(['policy_id', 'asset_name'])
      .doUpdateSet((query) => Object.fromEntries(names.map((column) => [column, query.ref(`excluded.${column}`)])))
      .where(
        sql<boolean>`(prices.as_of <= excluded.as_of or prices.as_of > ${new Date(now)})
          and ${rowOf('prices')} is distinct from ${rowOf('excluded')}`,
      ),
  );
  await upsert.execute();
}

const stored = {
  lovelace: 'numeric',
  decimals: 'int',
  as_of: 'timestamptz',
  source: 'text',
  market_limit: 'numeric',
} as const;
const columns = { policy_id: 'text', asset_name: 'text', ...stored } as const;

function newRow({ asset: { policyId, assetName }, price }: ClassPrice, now: Instant) {
  if (isFromFuture(price, now))
    throw new ServiceError('PRICE_UNAVAILABLE', { policyId, assetName, asOf: isoText(price.asOf) });
  const { lovelace, decimals, source, marketLimit = null } = price;
  const of = { policy_id: policyId, asset_name: assetName };
  return { ...of, lovelace, decimals, as_of: new Date(price.asOf), source, market_limit: marketLimit };
}

/** The last known price of every asset class in the vaults, by policy id followed by asset name. */
export async function vaultPrices(db: Db | Transaction, vaultIds: readonly string[]): Promise<Map<string, Price>> {
  if (vaultIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('prices')
    .selectAll()
    .where((query) =>
      query.exists(
        query
          .selectFrom('assets')
          .select('assets.id')
          .whereRef('assets.policy_id', '=', 'prices.policy_id')
          .whereRef('assets.asset_name', '=', 'prices.asset_name')
          .where('assets.vault_id', '=', anyOf(vaultIds)),
      ),
    )
    .execute();
  return new Map(rows.map((row) => [row.policy_id + row.asset_name, readPrice(row)]));
}

/** Reads the columns of a price. */
export function readPrice(row: Omit<Selectable<PricesTable>, 'policy_id' | 'asset_name'>): Price {
  return {
    lovelace: lovelace(BigInt(row.lovelace)),
    decimals: row.decimals,
    asOf: instant(row.as_of),
    source: row.source,
    marketLimit: row.market_limit === null ? undefined : lovelace(BigInt(row.market_limit)),
  };
}

/** Columns of the last known price of the market, of a table `prices` that is called `latest` in the statement. */
export const lastPriceColumns = [
  'latest.lovelace as last_lovelace',
  'latest.decimals as last_decimals',
  'latest.as_of as last_as_of',
  'latest.source as last_source',
  'latest.market_limit as last_market_limit',
] as const;

/** The columns as the driver returns them; null without a known price. */
interface LastPriceRow {
  readonly last_lovelace: string | null;
  readonly last_decimals: number | null;
  readonly last_as_of: Date | null;
  readonly last_source: string | null;
  readonly last_market_limit: string | null;
}

/** Reads the columns `lastPriceColumns`; null when no price is known. */
export function readLastPrice({
  last_lovelace: lovelaceText,
  last_decimals: decimals,
  last_as_of: asOf,
  last_source: source,
  last_market_limit: limit,
}: LastPriceRow): Price | null {
  if (lovelaceText === null || decimals === null || asOf === null || source === null) return null;
  return readPrice({ lovelace: lovelaceText, decimals, as_of: asOf, source, market_limit: limit });
}

/** Records the price of a contribution as the worker has read it; returns false once its settlement has fixed another one. */
export async function setCheckedPrice(tx: Transaction, assetId: string, price: SealedPrice): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('assets')
    .set({
      price: price.lovelace,
      priced_at: new Date(price.asOf),
      price_source: price.source,
      market_limit: price.marketLimit ?? null,
      price_seal: price.seal,
    })
    .where('id', '=', assetId)
    .where('counted_price', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Fixes the price of an asset in the settlement; returns false when one was sealed since the asset was read, which stays. */
export async function setCountedPrice(tx: Transaction, { id, seals }: Asset, price: SealedPrice): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('assets')
    .set({
      counted_price: price.lovelace,
      counted_at: new Date(price.asOf),
      counted_source: price.source,
      market_limit: price.marketLimit ?? null,
      counted_seal: price.seal,
    })
    .where('id', '=', id)
    .where('counted_seal', 'is not distinct from', seals.counted)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Records the values that the plan of a settlement counts, by asset. */
export async function setCountedValues(
  tx: Transaction,
  values: readonly { readonly id: string; readonly value: Lovelace }[],
): Promise<void> {
  await sql`
    update assets set counted_value = counted.value
    from unnest(${values.map(({ id }) => id)}::uuid[], ${values.map(({ value }) => value.toString())}::numeric[])
      as counted(id, value)
    where assets.id = counted.id`.execute(tx);
}
