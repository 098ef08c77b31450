import { z } from 'zod';
import { readPricedAsset } from '../../services/assets/read-assets.ts';
import { validWhile } from '../../server/route-response.ts';
import { route } from '../../server/context.ts';
import { Enveloped, enveloped } from '../../server/envelope.ts';
import { ResourceId } from '../../server/fields.ts';
import { depositOwnerScript, OwnerScript } from '../transactions/owner-script.ts';
import { AssetResource, presentAsset } from './response.ts';

const AssetDetail = AssetResource.extend({
  ownerScript: OwnerScript.nullable().describe(
    'The script of the deposit; `null` for an asset that the vault has bought, which was never a deposit',
  ),
}).meta({ id: 'AssetDetail' });

export const readAssetRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/assets/:assetId',
  operationId: 'readAsset',
  kept: true,
  summary: 'Read an asset of a vault, also one that never arrived',
  description: 'Prices are in lovelace for one whole token. `releaseReason` says why an asset has left the vault.',
  permission: { resource: 'asset', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, assetId: ResourceId }),
  responses: { 200: Enveloped(AssetDetail) },
  errors: ['VAULT_NOT_FOUND', 'ASSET_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const { priced, guard } = await readPricedAsset(api, caller, params);
    const { owner, deliveryDeposit } = priced.asset;
    const ownerScript = deliveryDeposit > 0n ? depositOwnerScript(guard, owner, api.networkId) : null;
    const now = await api.readingTime();
    return validWhile(
      { changesWith: [params.vaultId, 'prices'], until: null, readAt: now },
      enveloped({ ...presentAsset(priced), ownerScript }, now),
    );
  },
});
