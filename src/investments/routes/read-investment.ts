import { z } from 'zod';
import { readVaultInvestment } from '../read-investments.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { InvestmentResource, presentInvestment } from './response.ts';

export const readInvestmentRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/investments/:investmentId',
  operationId: 'readInvestment',
  summary: 'Read an investment in a vault, also one that never arrived',
  description:
    '`lovelace` is the invested amount, without the delivery deposit. `boundHolds` tells whether it would count now.',
  permission: { resource: 'investment', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId, investmentId: ResourceId }),
  responses: { 200: Enveloped(InvestmentResource) },
  errors: ['VAULT_NOT_FOUND', 'INVESTMENT_NOT_FOUND'],
  async handle({ params, caller }, api) {
    const { listed, bounds } = await readVaultInvestment(api, caller, params);
    const now = await api.readingTime();
    return ok(enveloped(presentInvestment(listed, bounds, api.networkId), now));
  },
});
