import { sql } from 'kysely';
import { type Instant, instant } from '../domain/units/instant.ts';
import { lovelace } from '../domain/units/money.ts';
import type { HoldReason, Hold } from '../domain/vault/hold.ts';
import type { Price } from '../domain/asset/valuation.ts';
import type { Db, Transaction } from './database.ts';

/** One native asset: a policy and a name in hex. */
export interface AssetClass {
  readonly policyId: string;
  readonly assetName: string;
}

/** Keeps a price unless a newer one is known. */
export async function storePrice(
  db: Db | Transaction,
  { policyId, assetName }: AssetClass,
  price: Price,
): Promise<void> {
  const row = {
    lovelace: price.lovelace,
    decimals: price.decimals,
    as_of: new Date(price.asOf),
    source: price.source,
  };
  await db
    .insertInto('prices')
    .values({ policy_id: policyId, asset_name: assetName, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['policy_id', 'asset_name'])
        .doUpdateSet(row)
        .where('prices.as_of', '<=', sql<Date>`excluded.as_of`),
    )
    .execute();
}

/** The last known price of every asset class that lies in the vault, keyed by policy id + name. */
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
          .where('assets.vault_id', 'in', vaultIds),
      ),
    )
    .execute();
  return new Map(
    rows.map((row) => [
      row.policy_id + row.asset_name,
      {
        lovelace: lovelace(BigInt(row.lovelace)),
        decimals: row.decimals,
        asOf: instant(row.as_of),
        source: row.source,
      },
    ]),
  );
}

/** Every asset class that lies in a vault that has not ended, in pages by policy and name. */
export async function assetClassesInVaults(db: Db, after: AssetClass | null, limit: number): Promise<AssetClass[]> {
  const rows = await db
    .selectFrom('assets')
    .innerJoin('vaults', 'vaults.id', 'assets.vault_id')
    .select(['assets.policy_id', 'assets.asset_name'])
    .distinct()
    .where('assets.status', 'in', ['PENDING', 'LOCKED'])
    .where('vaults.status', '!=', 'TERMINATED')
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(assets.policy_id, assets.asset_name) > (${after?.policyId}, ${after?.assetName})`),
    )
    .orderBy('assets.policy_id')
    .orderBy('assets.asset_name')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ policyId: row.policy_id, assetName: row.asset_name }));
}

/** Shows that a vault waits although its time has come; one that already waits keeps its beginning. */
export async function raiseHold(
  db: Db | Transaction,
  vaultId: string,
  reason: HoldReason,
  now: Instant,
): Promise<boolean> {
  const raised = await db
    .insertInto('holds')
    .values({ vault_id: vaultId, reason, since: new Date(now) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('reason')
    .executeTakeFirst();
  return raised !== undefined;
}

/** Ends a hold; false when there was none. */
export async function releaseHold(db: Db | Transaction, vaultId: string, reason: HoldReason): Promise<boolean> {
  const query = db.deleteFrom('holds').where('vault_id', '=', vaultId).where('reason', '=', reason);
  return (await query.returning('reason').executeTakeFirst()) !== undefined;
}

/** The holds of several vaults by vault id. */
export async function holdsOf(db: Db | Transaction, vaultIds: readonly string[]): Promise<Map<string, Hold[]>> {
  const holds = new Map<string, Hold[]>();
  if (vaultIds.length === 0) return holds;
  const rows = await db.selectFrom('holds').selectAll().where('vault_id', 'in', vaultIds).orderBy('since').execute();
  for (const row of rows) {
    const hold = { reason: row.reason as HoldReason, since: instant(row.since) };
    holds.set(row.vault_id, [...(holds.get(row.vault_id) ?? []), hold]);
  }
  return holds;
}

/** How many vaults wait, by reason. */
export async function countHolds(db: Db): Promise<Map<HoldReason, number>> {
  const count = db.fn.countAll<string>().as('count');
  const rows = await db.selectFrom('holds').select(['reason', count]).groupBy('reason').execute();
  return new Map(rows.map((row) => [row.reason as HoldReason, Number(row.count)]));
}

/** Vaults that wait for a price, in no order: where not all can be looked at, each has its turn. */
export async function vaultsHeldFor(db: Db, reasons: readonly HoldReason[], limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('holds')
    .select('vault_id')
    .where('reason', 'in', reasons)
    .groupBy('vault_id')
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map((row) => row.vault_id);
}
