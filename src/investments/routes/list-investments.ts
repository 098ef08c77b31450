import { z } from 'zod';
import { investmentStatuses } from '../rules/investment.ts';
import { listVaultInvestments } from '../read-investments.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { InvestmentResource, presentInvestment } from './response.ts';

export const listInvestmentsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/investments',
  operationId: 'listInvestments',
  summary: 'List the investments in a vault',
  description:
    '`lovelace` is the invested amount, without the delivery deposit. Investments that never arrived are listed only with ' +
    'status EXPIRED.',
  success: 'A page of investments',
  permission: { resource: 'investment', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'lovelace', 'status']),
    status: CaseInsensitive(investmentStatuses).optional(),
    walletAddress: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ investments: z.array(InvestmentResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const filter = { vaultId, status: query.status, wallet: query.walletAddress };
    const page = pageOf(query, 'createdAt:asc');
    const { investments, count, bounds } = await listVaultInvestments(api, caller, filter, page);
    const data = { investments: investments.map((listed) => presentInvestment(listed, bounds, api.networkId)) };
    const now = await api.readingTime();
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});
