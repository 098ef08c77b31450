import { z } from 'zod';
import { actorOf } from '../../access/actor.ts';
import { endorseProposal } from '../endorse-proposal.ts';
import { created } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { optionalWalletText } from '../../platform/http/descriptions.ts';
import { AddressText, ResourceId } from '../../platform/http/fields.ts';
import { ChangedProposal, presentChangedProposal } from './changed-response.ts';
import { proposalRules } from './record-rules.ts';

export const endorseProposalRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/endorsements',
  operationId: 'endorseProposal',
  recordedTogether: true,
  summary: 'Endorse a draft with staked tokens; the vote opens when enough stakes endorse it',
  description:
    'A wallet endorses once, with all of its final stakes. A wallet that has staked more since may endorse again if that ' +
    'opens the vote. ' +
    optionalWalletText('walletAddress'),
  success: 'The proposal after the endorsement; it is ACTIVE if its vote is open',
  examples: { session: {} },
  permission: { resource: 'endorsement', action: 'CREATE' },
  params: z.strictObject({ proposalId: ResourceId }),
  body: z.strictObject({ walletAddress: AddressText.optional() }).meta({ id: 'Endorse' }),
  responses: { 201: ChangedProposal },
  errors: [
    'PROPOSAL_NOT_FOUND',
    'ENDORSING_CLOSED',
    'CLAIMS_END_BEFORE_EXECUTION',
    'VAULT_NOT_LOCKED',
    'VAULT_ALREADY_ENDED',
    'ALREADY_ENDORSED',
    'INSUFFICIENT_VOTING_POWER',
    'FREE_ACTIONS_USED_UP',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'SERVICE_NOT_READY',
  ],
  errorFields: { ALREADY_ENDORSED: 'walletAddress', INSUFFICIENT_VOTING_POWER: 'walletAddress' },
  async handle({ params: { proposalId }, body, caller, correlationId, idempotency }, api) {
    const endorser = await actorOf(api, caller, body.walletAddress, 'walletAddress');
    const rules = await proposalRules(api, proposalId);
    return recordOnce(api, { idempotency, ...rules }, async (context) => {
      const anchored = await endorseProposal(context, api, { proposalId, endorser, caller, correlationId });
      return created(await presentChangedProposal(context, api, { proposalId, caller }, anchored));
    });
  },
});
