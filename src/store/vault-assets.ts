import { sql } from 'kysely';
import { anyOf } from './bulk-insert.ts';
import type { Db, Transaction } from './database.ts';
import type { AssetClass } from '../domain/asset/asset.ts';
import type { AssetStatus } from '../domain/asset/asset.ts';
import { type Asset, readAsset } from './assets.ts';
import { givenFields, type Page, readPage, rowsAfter, type PageCount } from './page.ts';

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

export interface AssetFilter {
  readonly vaultId: string;
  readonly status?: AssetStatus | undefined;
  /** Name of an asset type. */
  readonly type?: string | undefined;
  readonly owner?: string | undefined;
}

const columns = { addedAt: 'added_at', status: 'status', type: 'type' } as const;

/** A page of a vault's assets, and the total; assets that never arrived are left out. */
export async function listAssets(
  db: Db,
  filter: AssetFilter,
  page: Page<keyof typeof columns>,
): Promise<{ assets: Asset[]; count: PageCount }> {
  const { vaultId, status, type, owner } = filter;
  const matching = db
    .selectFrom('assets')
    .where('vault_id', '=', vaultId)
    .where(sql<boolean>`coalesce(release_reason, '') not in ('expired', 'failed')`)
    .where((eb) => eb.and(givenFields({ status, added_by: owner })))
    .$if(type !== undefined, (query) => query.where(sql<string>`coalesce(custom_type, type)`, '=', type ?? ''));
  const order = { columns, tieBreak: ['added_at', 'id'] };
  const { rows, count } = await readPage(db, matching.selectAll(), matching, order, page);
  return { assets: rows.map(readAsset), count };
}
