import { z } from 'zod';
import { assetStatuses, assetTypes } from '../rules/asset.ts';
import { listPricedAssets } from '../read-assets.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Pagination } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId, TypeFilter } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { AssetResource, presentAsset } from './response.ts';

export const listAssetsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/assets',
  operationId: 'listAssets',
  specified: true,
  summary: 'List the assets of a vault',
  description:
    'Prices are in lovelace for one whole token; `currentValue` is the value of the asset in the vault, in lovelace. Assets ' +
    'that never arrived are not listed.',
  success: 'A page of assets',
  permission: { resource: 'asset', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['addedAt', 'status', 'type']),
    status: CaseInsensitive(assetStatuses).optional(),
    type: TypeFilter(assetTypes),
    addedBy: AddressFilter.optional(),
  }),
  responses: {
    200: z.object({
      status: z.literal('success'),
      data: z.object({ assets: z.array(AssetResource), pagination: Pagination }),
    }),
  },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { status, type, addedBy: owner } = query;
    const filter = { vaultId, status, type, owner };
    const { assets, count } = await listPricedAssets(api, caller, filter, pageOf(query, 'addedAt:asc'));
    const data = {
      assets: assets.map((asset) => presentAsset(asset, api.networkId)),
      pagination: paginationOf(query, count),
    };
    return ok({ status: 'success', data });
  },
});
