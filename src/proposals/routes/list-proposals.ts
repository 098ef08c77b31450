import { z } from 'zod';
import { proposalStatuses } from '../rules/proposal.ts';
import { readProposals } from '../read-proposals.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ResourceId } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { ProposalTypeFilter } from './effect-request.ts';
import { ProposalResource } from './resource.ts';
import { presentProposal } from './response.ts';

export const listProposalsRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/proposals',
  operationId: 'listProposals',
  summary: 'List the proposals of a vault',
  description:
    '`type` accepts proposal types (`ASSET_SALE`, `BUY`, `STAKE`, `LIQUIDATE`) and action types (`sell_asset`, `buy_asset`, ' +
    '`stake_asset`). It is not case-sensitive. Responses contain proposal types.',
  success: 'A page of proposals',
  permission: { resource: 'proposal', action: 'READ' },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'updatedAt', 'type', 'status']),
    status: CaseInsensitive(proposalStatuses).optional(),
    type: ProposalTypeFilter.optional(),
    createdBy: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ proposals: z.array(ProposalResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const page = pageOf(query, 'createdAt:desc');
    const { status, type, createdBy } = query;
    const { proposals, count, now } = await readProposals(context, caller, {
      ...params,
      status,
      type,
      createdBy,
      page,
    });
    return ok(envelopedPage({ proposals: proposals.map(presentProposal) }, paginationOf(query, count), now));
  },
});
