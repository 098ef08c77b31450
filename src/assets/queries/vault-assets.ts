import { sql } from 'kysely';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { AssetClass } from '../rules/asset.ts';
import type { AssetStatus } from '../rules/asset.ts';
import { type Asset, readAsset } from './assets.ts';

/**
 * The next asset classes with a price of the market, by policy and name, in a vault that has not ended. Each is one step in an index: a
 * `distinct` would read all assets for each page.
 */
export async function assetClassesInVaults(db: Db, after: AssetClass | null, limit: number): Promise<AssetClass[]> {
  const from = { policyId: after?.policyId ?? '', assetName: after?.assetName ?? '' };
  const { rows } = await sql<AssetClass>`
    with recursive classes as (
      select ${from.policyId}::text as policy_id, ${from.assetName}::text as asset_name
      union all
      select next.* from classes, lateral (
        select assets.policy_id, assets.asset_name from assets join vaults on vaults.id = assets.vault_id
        where (assets.policy_id, assets.asset_name) > (classes.policy_id, classes.asset_name)
          and assets.status in ('PENDING', 'LOCKED') and assets.valuation_method <> 'custom' and vaults.status <> 'TERMINATED'
        order by assets.policy_id, assets.asset_name limit 1
      ) as next
    )
    select policy_id as "policyId", asset_name as "assetName" from classes offset 1 limit ${limit}`.execute(db);
  return rows;
}

/** A vault's assets in some of the statuses, oldest first. */
export async function vaultAssets(
  db: Db | Transaction,
  vaultId: string,
  statuses: readonly AssetStatus[],
): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('status', 'in', statuses)
    .orderBy('added_at')
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** The assets that a transaction brings into a FIXED vault, whose price of the market the worker has not read. */
export async function assetsToCheck(db: Db, transactionId: string): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .innerJoin('vaults', 'vaults.id', 'assets.vault_id')
    .selectAll('assets')
    .where('assets.add_transaction_id', '=', transactionId)
    .where('assets.valuation_method', '!=', 'custom')
    .where('assets.price_seal', 'is', null)
    .where('vaults.valuation_type', '=', 'FIXED')
    .execute();
  return rows.map(readAsset);
}

/** The assets that are in a vault, or whose adding or returning transaction is not final. */
export async function presentOrMissingAssets(db: Db | Transaction, vaultId: string): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where((query) =>
      query.or([
        query('status', '!=', 'RELEASED'),
        query.exists(
          query
            .selectFrom('chain_transactions as moved')
            .select('moved.id')
            .where((moved) =>
              moved.or([
                moved('moved.id', '=', moved.ref('add_transaction_id')),
                moved('moved.id', '=', moved.ref('remove_transaction_id')),
              ]),
            )
            .where('moved.state', 'not in', ['final', 'expired', 'failed']),
        ),
      ]),
    )
    .orderBy('added_at')
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** The assets locked in the vault, and those with these ids in any status. */
export async function assetsOfProposal(
  db: Db | Transaction,
  vaultId: string,
  assetIds: readonly string[],
): Promise<Asset[]> {
  const rows = await db
    .selectFrom('assets')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where((query) =>
      query.or([query('status', '=', 'LOCKED'), ...(assetIds.length > 0 ? [query('id', '=', anyOf(assetIds))] : [])]),
    )
    .orderBy('id')
    .execute();
  return rows.map(readAsset);
}

/** Assets of a vault by their ids. */
export async function assetsById(db: Db, vaultId: string, ids: readonly string[]): Promise<Asset[]> {
  if (ids.length === 0) return [];
  const query = db.selectFrom('assets').selectAll().where('vault_id', '=', vaultId).where('id', '=', anyOf(ids));
  return (await query.execute()).map(readAsset);
}
