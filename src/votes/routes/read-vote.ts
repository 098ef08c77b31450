import { z } from 'zod';
import { readVote } from '../read-votes.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { presentVote, VoteResource } from './response.ts';

export const readVoteRoute = route({
  method: 'get',
  path: '/votes/:voteId',
  operationId: 'readVote',
  summary: 'Read a vote with the path of its inclusion proof',
  description:
    'The vote counts as soon as it is cast. It is CONFIRMED once the transaction that anchors it is in a block.',
  permission: { resource: 'vote', action: 'READ' },
  params: z.strictObject({ voteId: ResourceId }),
  responses: { 200: Enveloped(VoteResource) },
  errors: ['VOTE_NOT_FOUND'],
  async handle({ params: { voteId }, caller }, context) {
    const view = await readVote(context, caller, voteId);
    const now = await context.readingTime();
    return ok(enveloped(presentVote(view), now));
  },
});
