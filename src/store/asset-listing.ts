import { sql } from 'kysely';
import type { AssetStatus, AssetType } from '../domain/asset/asset.ts';
import { type Asset, readAsset } from './assets.ts';
import type { Db } from './database.ts';
import { type Page, pageOfRows } from './page.ts';

export interface AssetFilter {
  readonly vaultId: string;
  readonly status?: AssetStatus | undefined;
  readonly type?: AssetType | undefined;
  readonly owner?: string | undefined;
}

const columns = { addedAt: 'added_at', status: 'status', type: 'type' } as const;

/** A page of a vault's assets and how many there are in all; those that never arrived were never in it. */
export async function listAssets(
  db: Db,
  filter: AssetFilter,
  page: Page<keyof typeof columns>,
): Promise<{ assets: Asset[]; total: number }> {
  const { vaultId, status, type, owner } = filter;
  const matching = db
    .selectFrom('assets')
    .where('vault_id', '=', vaultId)
    .where(sql<boolean>`coalesce(release_reason, '') not in ('expired', 'failed')`)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''))
    .$if(owner !== undefined, (query) => query.where('added_by', '=', owner ?? ''));
  const { field, direction } = page.sort;
  const ordered = matching.selectAll().orderBy(columns[field], direction).orderBy('added_at').orderBy('id');
  const { rows, total } = await pageOfRows(ordered, matching, page);
  return { assets: rows.map(readAsset), total };
}
