import { z } from 'zod';
import { requireReadableClaim } from '../../claims/read-claims.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { ResourceId } from '../../../platform/http/fields.ts';
import { ClaimResource, presentClaim } from './response.ts';

export const readClaimRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/claims/:claimId',
  operationId: 'readClaim',
  summary: 'Read a claim from the pot of a vault that ends',
  description:
    'A claim is paid while its transaction is in a block. `payoutLovelace` is what the transaction pays; the fee, which the wallet pays, is in ' +
    '`GET /api/v1/transactions/{hash}`.',
  permission: { resource: 'claim', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, claimId: ResourceId }),
  responses: { 200: Enveloped(ClaimResource) },
  errors: ['CLAIM_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const listed = await requireReadableClaim(api, caller, params);
    return ok(enveloped(presentClaim(listed), await api.readingTime()));
  },
});
