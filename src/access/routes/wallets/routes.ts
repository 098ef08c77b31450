import { z } from 'zod';
import { parseWalletAddress } from '../../../cardano/scripts/address.ts';
import { readVotingPower } from '../../../votes/read-voting-power.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { AddressText, ResourceId } from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { presentPower, presentProposalPower, ProposalPowerResource, VotingPowerResource } from './response.ts';

export const getVotingPowerRoute = route({
  method: 'get',
  path: '/wallets/:address/voting-power',
  operationId: 'readVotingPower',
  summary: 'The stakes and the voting power of a wallet by vault, and in one proposal',
  description:
    '`votingPower` counts final stakes; in a proposal, those that were final before voting opened. `usedPower` is ' +
    'the part that votes use. Sorted by the creation of the vault, the newest first unless `sort` says otherwise.',
  permission: { resource: 'stake', action: 'READ' },
  params: z.strictObject({ address: AddressText }),
  query: z.strictObject({
    ...pageQuery(['createdAt']),
    proposalId: ResourceId.describe('Adds the voting power of the wallet in this proposal.').optional(),
  }),
  responses: {
    200: EnvelopedPage(
      z.object({
        walletAddress: z.string(),
        powers: z.array(VotingPowerResource),
        inProposal: ProposalPowerResource.optional().describe(
          'Present if `proposalId` is given; `powers` then contains only the vault of that proposal',
        ),
      }),
    ),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK', 'PROPOSAL_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { address: wallet } = parseWalletAddress(params.address, context.networkId, 'address');
    const { powers, count, inProposal } = await readVotingPower(context, caller, {
      wallet,
      proposalId: query.proposalId,
      page: pageOf(query, 'createdAt:desc'),
    });
    const data = {
      walletAddress: wallet,
      powers: powers.map(presentPower),
      ...(inProposal && { inProposal: presentProposalPower(inProposal) }),
    };
    return ok(envelopedPage(data, paginationOf(query, count), await context.readingTime()));
  },
});
