import { z } from 'zod';
import { readPricedAsset } from '../../services/assets/read-assets.ts';
import { ok } from '../../server/route-response.ts';
import { route } from '../../server/context.ts';
import { Enveloped, enveloped } from '../../server/envelope.ts';
import { ResourceId } from '../../server/fields.ts';
import { AssetResource, presentAsset } from './response.ts';

export const readAssetRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/assets/:assetId',
  operationId: 'readAsset',
  summary: 'Read an asset of a vault, also one that never arrived',
  description: 'Prices are in lovelace for one whole token. `releaseReason` says why an asset has left the vault.',
  permission: { resource: 'asset', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, assetId: ResourceId }),
  responses: { 200: Enveloped(AssetResource) },
  errors: ['VAULT_NOT_FOUND', 'ASSET_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const priced = await readPricedAsset(api, caller, params);
    return ok(enveloped(presentAsset(priced), await api.readingTime()));
  },
});
