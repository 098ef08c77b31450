import { z } from 'zod';
import { claimStatuses } from '../../rules/claims/claim.ts';
import { listVaultClaims } from '../../claims/read-claims.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { ClaimResource, presentClaim } from './response.ts';

export const listClaimsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/claims',
  operationId: 'listClaims',
  summary: 'List the claims from the pot of a vault that ends',
  description:
    'Amounts are in whole tokens; the field in base units is exact. Claims that expired are listed only with status EXPIRED: a wallet ' +
    'may replace a claim that it has not signed as often as it likes.',
  success: 'A page of claims',
  permission: { resource: 'claim', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'amount', 'payout', 'status']),
    status: CaseInsensitive(claimStatuses).optional(),
    wallet: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ claims: z.array(ClaimResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query, caller }, api) {
    const { status, wallet } = query;
    const page = pageOf(query, 'createdAt:asc');
    const { claims, count } = await listVaultClaims(api, caller, { vaultId, status, wallet }, page);
    const data = { claims: claims.map(presentClaim) };
    return ok(envelopedPage(data, paginationOf(query, count), await api.readingTime()));
  },
});
