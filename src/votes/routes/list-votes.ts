import { z } from 'zod';
import { parseDecision, voteStatuses } from '../rules/vote.ts';
import { readVotes } from '../read-votes.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../platform/http/envelope.ts';
import { AddressFilter, CaseInsensitive, ParsedWord, ResourceId } from '../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../platform/http/paging.ts';
import { presentVote, VoteResource } from './response.ts';

export const listVotesRoute = route({
  method: 'get',
  path: '/proposals/:proposalId/votes',
  operationId: 'listVotes',
  summary: 'List the votes on a proposal, including revoked and replaced votes',
  description:
    'Replaced and revoked votes have status REVOKED and do not count. CAST and CONFIRMED votes count equally.',
  success: 'A page of votes',
  permission: { resource: 'vote', action: 'READ' },
  params: z.strictObject({ proposalId: ResourceId }),
  query: z.strictObject({
    ...pageQuery(['castAt', 'amount', 'status', 'decision']),
    status: CaseInsensitive(voteStatuses).optional(),
    decision: ParsedWord(['yes', 'no', 'approve', 'reject'], parseDecision)
      .transform((word) => parseDecision(word))
      .optional(),
    wallet: AddressFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ votes: z.array(VoteResource) })) },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { status, decision, wallet } = query;
    const filter = { ...params, status, decision, wallet };
    const page = pageOf(query, 'castAt:asc');
    const { votes, count } = await readVotes(context, caller, { ...filter, page });
    const data = { votes: votes.map(presentVote) };
    const now = await context.readingTime();
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});
