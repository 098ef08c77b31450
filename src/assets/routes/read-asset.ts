import { z } from 'zod';
import { readPricedAsset } from '../read-assets.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { AssetResource, presentAsset } from './response.ts';

export const readAssetRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/assets/:assetId',
  operationId: 'readAsset',
  summary: 'Get an asset',
  description:
    'Includes assets whose deposit never reached the ledger. Prices are in lovelace for one whole token. `releaseReason` says why an asset has left the vault.',
  permission: { resource: 'asset', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, assetId: ResourceId }),
  responses: { 200: Enveloped(AssetResource) },
  errors: ['VAULT_NOT_FOUND', 'ASSET_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const read = await readPricedAsset(api, caller, params);
    const now = await api.readingTime();
    return ok(enveloped(presentAsset(read, api.networkId), now));
  },
});
