import { sql } from 'kysely';
import type { AssetStatus, AssetType } from '../domain/asset.ts';
import { type Asset, readAsset } from './assets.ts';
import type { Db } from './database.ts';

export interface AssetFilter {
  readonly vaultId: string;
  readonly status?: AssetStatus | undefined;
  readonly type?: AssetType | undefined;
}

export interface AssetPage {
  readonly limit: number;
  readonly offset: number;
  readonly sort: { readonly field: 'addedAt' | 'status' | 'type'; readonly direction: 'asc' | 'desc' };
}

const columns = { addedAt: 'added_at', status: 'status', type: 'type' } as const;

/** A page of a vault's assets and how many there are in all; those that never arrived were never in it. */
export async function listAssets(
  db: Db,
  filter: AssetFilter,
  page: AssetPage,
): Promise<{ assets: Asset[]; total: number }> {
  const { vaultId, status, type } = filter;
  const matching = db
    .selectFrom('assets')
    .where('vault_id', '=', vaultId)
    .where(sql<boolean>`coalesce(release_reason, '') not in ('expired', 'failed')`)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''));
  const [rows, { total }] = await Promise.all([
    matching
      .selectAll()
      .orderBy(columns[page.sort.field], page.sort.direction)
      .orderBy('added_at')
      .orderBy('id')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    matching.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { assets: rows.map(readAsset), total: Number(total) };
}
