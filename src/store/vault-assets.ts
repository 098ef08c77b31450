import { anyOf } from './bulk-insert.ts';
import type { Db, Transaction } from './database.ts';
import type { AssetClass } from '../domain/asset/asset.ts';
import type { AssetStatus } from '../domain/asset/asset.ts';
import { type Asset, readAsset } from './assets.ts';
import { rowsAfter } from './page.ts';

/** The next asset classes with a price of the market, by policy and name, in a vault that has not ended. */
export async function assetClassesInVaults(db: Db, after: AssetClass | null, limit: number): Promise<AssetClass[]> {
  const inVaults = db
    .selectFrom('assets')
    .innerJoin('vaults', 'vaults.id', 'assets.vault_id')
    .select(['assets.policy_id', 'assets.asset_name'])
    .distinct()
    .where('assets.status', 'in', ['PENDING', 'LOCKED'])
    .where('assets.valuation_method', '!=', 'custom')
    .where('vaults.status', '!=', 'TERMINATED');
  const columns = ['assets.policy_id', 'assets.asset_name'];
  const key = after && [after.policyId, after.assetName];
  const rows = await rowsAfter(inVaults, { columns, after: key, limit }).execute();
  return rows.map((row) => ({ policyId: row.policy_id, assetName: row.asset_name }));
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
