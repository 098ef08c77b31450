import { type Selectable, sql } from 'kysely';
import { ServiceError } from '../../platform/errors/errors.ts';
import { type Instant, instant, isoText } from '../../platform/units/instant.ts';
import { lovelace } from '../../platform/units/money.ts';
import { isFromFuture, type Price } from '../rules/valuation.ts';
import { anyOf, bulkInsert } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { PricesTable } from '../../platform/database/tables/prices.ts';
import { type AssetClass, unitOf } from '../../assets/rules/asset.ts';

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
