import { z } from 'zod';
import { readProposal } from '../read-proposals.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { ProposalResource } from './resource.ts';
import { presentProposal } from './response.ts';
import { presentVotingPosition, VotingPositionResource } from './voting-position-response.ts';

const ProposalDetail = ProposalResource.extend({
  own: VotingPositionResource.nullable().describe(
    "Voting power and vote of the session's wallet; `null` without a session",
  ),
}).meta({ id: 'ProposalDetail' });

export const readProposalRoute = route({
  method: 'get',
  path: '/proposals/:proposalId',
  operationId: 'readProposal',
  summary: "Read a proposal with its phases, its votes, the caller's own vote and the actions open to the caller",
  description:
    'The phase and the status are correct for the current time, even if no worker has stored them yet. `allowedActions` ' +
    'tells which actions the caller can do now, and gives the error code of the others. `own` is `null` without a session.',
  permission: { resource: 'proposal', action: 'READ' },
  params: z.strictObject({ proposalId: ResourceId }),
  responses: { 200: Enveloped(ProposalDetail) },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const { proposal, own, now } = await readProposal(context, caller, params.proposalId);
    const { ftDecimals } = proposal.vault.terms;
    return ok(enveloped({ ...presentProposal(proposal), own: own && presentVotingPosition(own, ftDecimals) }, now));
  },
});
