import { z } from 'zod';
import { stakeStatuses } from '../rules/stake.ts';
import { listVaultStakes } from '../read-stakes.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { presentStake, StakeResource } from './response.ts';

export const listStakesRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/stakes',
  operationId: 'listStakes',
  summary: 'List the stakes in a vault',
  description:
    'Amounts are in whole tokens; the fields in base units are exact. Stakes that never arrived are listed only with status ' +
    'RELEASED.',
  success: 'A page of stakes',
  permission: { resource: 'stake', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'amount', 'status']),
    status: CaseInsensitive(stakeStatuses).optional(),
    wallet: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ stakes: z.array(StakeResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { status, wallet } = query;
    const page = pageOf(query, 'createdAt:asc');
    const { stakes, count } = await listVaultStakes(api, caller, { vaultId, status, wallet }, page);
    const data = { stakes: stakes.map((listed) => presentStake(listed, caller, api.networkId)) };
    const now = await api.readingTime();
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});
