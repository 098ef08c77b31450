import { z } from 'zod';
import { actorOf } from '../../access/actor.ts';
import type { Caller } from '../../access/rules.ts';
import { route, type ApiContext } from '../../api-context.ts';
import {
  requiredWalletText,
  optionalWalletText,
  ResourceId,
  AddressFilter,
  CaseInsensitive,
  AddressText,
} from '../../platform/http/fields.ts';
import {
  EnvelopedPage,
  envelopedPage,
  Enveloped,
  enveloped,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { created, ok } from '../../platform/http/route.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { cancelProposal } from '../cancel-proposal.ts';
import { createProposal } from '../create-proposal.ts';
import { endorseProposal } from '../endorse-proposal.ts';
import { findProposal } from '../queries/proposals.ts';
import { readProposals, readProposal } from '../read-proposals.ts';
import { parseProposal, proposalExamples, CreateProposal, ProposalTypeFilter, proposalRules } from './request.ts';
import { ProposalResource, presentVotingPosition, VotingPositionResource } from './resource.ts';
import {
  presentCreatedProposal,
  ProposalCreated,
  presentProposal,
  ChangedProposal,
  presentChangedProposal,
} from './response.ts';
import { proposalEffectFields } from '../rules/effects.ts';
import { proposalStatuses } from '../rules/proposal.ts';
import { findVault } from '../../vaults/queries/vaults.ts';
import { ownershipAttributes } from '../../vaults/require-vault.ts';

const createProposalRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/proposals',
  operationId: 'createProposal',
  kind: 'batched change',
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

const ProposalDetail = ProposalResource.extend({
  own: VotingPositionResource.nullable().describe(
    "Voting power and vote of the session's wallet; `null` without a session",
  ),
}).meta({ id: 'ProposalDetail' });

const readProposalRoute = route({
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

const endorseProposalRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/endorsements',
  operationId: 'endorseProposal',
  kind: 'batched change',
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

const cancelProposalRoute = route({
  method: 'delete',
  path: '/proposals/:proposalId',
  operationId: 'cancelProposal',
  kind: 'batched change',
  summary: 'Cancel a proposal that is a draft or in its lock phase',
  description:
    'Allowed for the proposer, for the admin of the vault, and for a key with permission wallet:UPDATE. Nobody can cancel a ' +
    'proposal in its voting or execution phase, and the admin none while the holders of a vault that ends claim.',
  success: 'The proposal has FAILED with reason `cancelled`',
  permission: { resource: 'proposal', action: 'DELETE', attributes: proposalOwnershipAttributes },
  params: z.strictObject({ proposalId: ResourceId }),
  responses: { 200: ChangedProposal },
  errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_CANCELLABLE', 'SERVICE_NOT_READY'],
  async handle({ params: { proposalId }, caller, correlationId, idempotency }, api) {
    const rules = await proposalRules(api, proposalId);
    return recordOnce(api, { idempotency, ...rules }, async (context) => {
      const anchored = await cancelProposal(context, { proposalId, caller, correlationId });
      return ok(await presentChangedProposal(context, api, { proposalId, caller }, anchored));
    });
  },
});

/** The proposer and the admin of the vault count as owners. */
async function proposalOwnershipAttributes({ proposalId }: { proposalId: string }, api: ApiContext, caller: Caller) {
  const proposal = await findProposal(api.db, proposalId);
  const vault = proposal && (await findVault(api.db, proposal.vaultId));
  return ownershipAttributes(api, caller, vault?.id, [proposal?.proposer, vault?.createdBy]);
}

/** The operations on proposals, in the order of the OpenAPI document. */
export const proposalRoutes = [
  createProposalRoute,
  listProposalsRoute,
  readProposalRoute,
  cancelProposalRoute,
  endorseProposalRoute,
];
