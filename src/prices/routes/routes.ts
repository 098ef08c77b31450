import { z } from 'zod';
import { readValuation } from '../read-valuation.ts';
import { vaultAttributes } from '../../vaults/vault-access.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { presentValuation, ValuationResource } from './response.ts';

export const getValuationRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/valuation',
  operationId: 'readValuation',
  specified: true,
  summary: 'The value of the assets in a vault, in lovelace',
  description:
    'Covers LOCKED assets. Before the settlement they are valued as it would count them; in a settled vault at the last known ' +
    'prices of the market, and `settled` is what the settlement counted. Each price has its source and age.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: z.object({ status: z.literal('success'), data: z.object({ valuation: ValuationResource }) }) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const value = await readValuation(context, caller, params.vaultId);
    const valuation = presentValuation(value);
    return ok({ status: 'success', data: { valuation } });
  },
});
