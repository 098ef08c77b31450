import { type Selectable, sql } from 'kysely';
import { ServiceError } from '../domain/errors.ts';
import { type Instant, instant, isoText } from '../domain/units/instant.ts';
import { lovelace } from '../domain/units/money.ts';
import { isFromFuture, type Price } from '../domain/asset/valuation.ts';
import { anyOf } from './bulk-insert.ts';
import type { Db, Transaction } from './database.ts';
import type { PricesTable } from './tables/prices.ts';
import type { AssetClass } from '../domain/asset/asset.ts';

/** Stores a price unless a newer one is stored; one that is dated in the future is replaced. Throws PRICE_UNAVAILABLE for such a price. */
export async function storePrice(db: Db | Transaction, asset: AssetClass, price: Price, now: Instant): Promise<void> {
  await priceUpsert(db, asset, price, now).execute();
}

/** The statement of `storePrice`, which throws as that does. */
export function priceUpsert(db: Db | Transaction, { policyId, assetName }: AssetClass, price: Price, now: Instant) {
  if (isFromFuture(price, now))
    throw new ServiceError('PRICE_UNAVAILABLE', { policyId, assetName, asOf: isoText(price.asOf) });
  const row = {
    lovelace: price.lovelace,
    decimals: price.decimals,
    as_of: new Date(price.asOf),
    source: price.source,
    market_limit: price.marketLimit ?? null,
  };
  return db
    .insertInto('prices')
    .values({ policy_id: policyId, asset_name: assetName, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['policy_id', 'asset_name'])
        .doUpdateSet(row)
        .where(sql<boolean>`prices.as_of <= excluded.as_of or prices.as_of > ${new Date(now)}`),
    );
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
