import { z } from 'zod';
import { actingWalletOf } from '../../access/acting-wallet.ts';
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
  summary: 'Create a proposal',
  description:
    'Proposes an action of a LOCKED vault: a sale, a purchase, staking or the liquidation. The proposer needs ' +
    'final stakes of at least `creation_threshold` percent of the token supply (while holders claim: of the ' +
    'tokens in circulation).\n\n' +
    'A proposal starts as a DRAFT. Its vote opens when endorsements reach `start_threshold` within 7 days, or at ' +
    "once if the proposer's stakes suffice. The voting, lock and execution phases follow.\n\n" +
    "The request's `terms` depend on the action.\n\n" +
    requiredWalletText('proposer'),
  success: 'The proposal is recorded and anchored. `readProposal` says whether its vote is already open.',
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
    const proposer = await actingWalletOf(api, caller, body.proposer, 'proposer');
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
    "Voting power and vote of the session's wallet. `null` without a session.",
  ),
}).meta({ id: 'ProposalDetail' });

const readProposalRoute = route({
  method: 'get',
  path: '/proposals/:proposalId',
  operationId: 'readProposal',
  summary: 'Get a proposal',
  description:
    'Returns a proposal with its phases, its votes and its result. The phase and the status are correct for the ' +
    'current time.\n\n' +
    '`allowedActions` says which actions you can do now, and the error code of the others. `own` contains your ' +
    'voting power and your vote. It is `null` without a session.',
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
  summary: 'Endorse a draft proposal',
  description:
    'Endorses a draft with staked tokens. The vote opens when enough stakes endorse it. A wallet endorses once, ' +
    'with all of its final stakes. If it has staked more since, it can endorse again if that opens the vote.\n\n' +
    optionalWalletText('walletAddress'),
  success: 'The proposal after the endorsement. It is ACTIVE if its vote is open.',
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
    const endorser = await actingWalletOf(api, caller, body.walletAddress, 'walletAddress');
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
  summary: 'Cancel a proposal',
  description:
    'You can cancel a draft, and a proposal in its lock phase. Allowed for the proposer, the admin of the vault, ' +
    'and a key with `wallet:UPDATE`. While holders claim, the admin cannot cancel.',
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
  return ownershipAttributes(api.db, caller, vault?.id, [proposal?.proposer, vault?.createdBy]);
}

/** The operations on proposals, in the order of the OpenAPI document. */
export const proposalRoutes = [
  createProposalRoute,
  listProposalsRoute,
  readProposalRoute,
  cancelProposalRoute,
  endorseProposalRoute,
];
