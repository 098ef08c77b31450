import { z } from 'zod';
import { proposalEffectFields } from '../rules/requested-effect.ts';
import { actorOf } from '../../access/actor.ts';
import { createProposal } from '../create-proposal.ts';
import { created } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { requiredWalletText } from '../../platform/http/descriptions.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { presentCreatedProposal, ProposalCreated } from './created-response.ts';
import { parseProposal } from './parse-proposal.ts';
import { proposalExamples } from './request-examples.ts';
import { CreateProposal } from './request.ts';

export const createProposalRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/proposals',
  operationId: 'createProposal',
  recordedTogether: true,
  specified: true,
  summary: 'Propose an action of a locked vault: a sale, a purchase, staking or the liquidation',
  description:
    'The proposer must have final stakes of at least `creation_threshold` percent of the whole token supply or, while ' +
    'holders of a vault that ends claim, of the tokens that nobody has returned. A proposal starts ' +
    'as a DRAFT and collects endorsements for 7 days; its vote opens when `start_threshold` is reached. The stakes of the ' +
    'proposer count as endorsements, so the vote opens at once if they reach the threshold alone. The voting, lock and ' +
    'execution phases follow. Each action has its own `terms`: sell_asset has price and buyer_address; buy_asset has price, ' +
    'seller_address and quantity; stake_asset has direction and staking_address; liquidate has remaining_assets_to and ' +
    'unclaimed_lovelace_to. ' +
    requiredWalletText('proposer'),
  success:
    'The proposal is recorded and anchored; `GET /api/v1/proposals/{proposalId}` tells whether its vote is already open',
  examples: proposalExamples,
  permission: { resource: 'proposal', action: 'CREATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  body: CreateProposal,
  responses: { 201: ProposalCreated },
  errors: [
    'OPERATION_PAUSED',
    'VAULT_NOT_FOUND',
    'VAULT_NOT_LOCKED',
    'VAULT_ALREADY_ENDED',
    'ONLY_SALES_WHILE_ENDING',
    'CLAIMS_END_BEFORE_EXECUTION',
    'THRESHOLD_BELOW_VAULT',
    'CREATION_THRESHOLD_NOT_MET',
    'ASSET_NOT_IN_VAULT',
    'ASSET_IN_ANOTHER_PROPOSAL',
    'ASSET_IS_VAULT_TOKEN',
    'ASSET_IS_REFERENCE_TOKEN',
    'STAKING_ADDRESS_NOT_LISTED',
    'FREE_ACTIONS_USED_UP',
    'INVALID_ASSET_NAME',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'SERVICE_NOT_READY',
  ],
  errorFields: {
    CREATION_THRESHOLD_NOT_MET: 'proposer',
    ASSET_IS_VAULT_TOKEN: proposalEffectFields.assets,
    ASSET_IS_REFERENCE_TOKEN: proposalEffectFields.assets,
    STAKING_ADDRESS_NOT_LISTED: `${proposalEffectFields.terms}.staking_address`,
  },
  async handle({ params, body, caller, correlationId, idempotency }, api) {
    const proposer = await actorOf(api, caller, body.proposer, 'proposer');
    return recordOnce(api, { idempotency }, async (context) => {
      const input = { ...params, params: parseProposal(body, api.networkId), proposer, caller, correlationId };
      const { proposal, transactionHash } = await createProposal(context, api, input);
      return created(presentCreatedProposal(proposal, transactionHash));
    });
  },
});
