import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import { isoText } from '../../domain/units/instant.ts';
import { proposalStatuses } from '../../domain/proposal/proposal.ts';
import type { WriteLocks } from '../../store/write-locks.ts';
import { findProposal } from '../../store/proposals.ts';
import { readProposal } from '../../services/proposals/read-proposals.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { findVault } from '../../store/vaults.ts';
import { created, ok } from '../server/answer.ts';
import { type ApiContext, route } from '../server/context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { AddressText, ResourceId, Timestamp, CaseInsensitive } from '../server/fields.ts';
import { actorOf } from '../../services/actor.ts';
import { cancelProposal } from '../../services/proposals/cancel-proposal.ts';
import { createProposal } from '../../services/proposals/create-proposal.ts';
import { endorseProposal } from '../../services/proposals/endorse-proposal.ts';
import { optionalWalletText, requiredWalletText } from '../server/descriptions.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { presentOwnPart, presentProposal } from './response.ts';

import { proposalExamples } from './request-examples.ts';
import { CreateProposal, parseProposal, ProposalTypeFilter } from './request.ts';
import { OwnPartResource, ProposalResource } from './resource.ts';
import {
  AnchorTransaction,
  PlatformTransaction,
  presentAnchor,
  presentAnchored,
  ProofLink,
  proofLink,
} from '../transactions/response.ts';
import { ownershipAttributes } from '../../services/vaults/vault-access.ts';
import { readProposals } from '../../services/proposals/read-proposals.ts';
import { requireReadableProposal } from '../../services/proposals/readable-proposal.ts';
import { viewProposal } from '../../services/proposals/view-proposals.ts';

const OneVault = z.strictObject({ vaultId: ResourceId });
const OneProposal = z.strictObject({ proposalId: ResourceId });

const ProposalCreated = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  transaction: PlatformTransaction,
  status: z.literal('created'),
  thresholds_met: z.object({ creation_threshold: z.boolean().describe('Always true: less is refused') }),
  created_at: Timestamp,
  proof: ProofLink,
});

const postProposal = route({
  method: 'post',
  path: '/vaults/:vaultId/proposals',
  operationId: 'createProposal',
  summary: 'Propose what a locked vault is to do with what it holds',
  description:
    'The proposer must hold final stakes of `creation_threshold` percent of the whole supply. A proposal starts ' +
    "as a DRAFT and collects endorsements for 7 days; at `start_threshold` its vote opens. The proposer's stake " +
    'counts as endorsed, so whoever has staked that much alone skips the draft. Then follow voting, lock and ' +
    'execution phase. `terms` belong to an action: price and buyer_address to sell_asset; price, seller_address ' +
    'and quantity to buy_asset; direction and staking_address to stake_asset; remaining_assets_to and ' +
    'unclaimed_lovelace_to to liquidate. ' +
    requiredWalletText('proposer'),
  answers:
    'The proposal is recorded and anchored; read whether its vote is open already at `GET /api/v1/proposals/{proposalId}`',
  examples: proposalExamples,
  permission: { resource: 'proposal', action: 'CREATE' },
  params: OneVault,
  body: CreateProposal,
  responses: { 201: ProposalCreated },
  errors: [
    'VAULT_NOT_FOUND',
    'VAULT_NOT_LOCKED',
    'VAULT_ALREADY_ENDED',
    'THRESHOLD_BELOW_VAULT',
    'CREATION_THRESHOLD_NOT_MET',
    'ASSET_NOT_IN_VAULT',
    'ASSET_IN_ANOTHER_PROPOSAL',
    'ASSET_IS_VAULT_TOKEN',
    'STAKING_ADDRESS_NOT_LISTED',
    'INVALID_ASSET_NAME',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'SERVICE_NOT_READY',
  ],
  async handle({ params, body, caller, correlationId, idempotency }, context) {
    const proposer = await actorOf(context, caller, body.proposer, 'proposer');
    const answer = await context.anchors.record((work) =>
      idempotency.once(work.tx, async () => {
        const input = { ...params, params: parseProposal(body, context.networkId), proposer, caller, correlationId };
        const { proposal, transactionHash } = await createProposal(work, context, input);
        return created({
          vault_id: proposal.vaultId,
          proposal_id: proposal.id,
          transaction: presentAnchor(transactionHash),
          status: 'created',
          thresholds_met: { creation_threshold: true },
          created_at: isoText(proposal.createdAt),
          proof: proofLink(proposal.id),
        });
      }),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

const getProposals = route({
  method: 'get',
  path: '/vaults/:vaultId/proposals',
  operationId: 'listProposals',
  summary: 'List the proposals of a vault',
  description:
    '`type` takes the words of types (ASSET_SALE, BUY, STAKE, LIQUIDATE) and those of actions (sell_asset, ' +
    'buy_asset, stake_asset), in any case; answers show the types.',
  answers: 'A page of proposals',
  permission: { resource: 'proposal', action: 'READ' },
  params: OneVault,
  query: z.strictObject({
    ...pageQuery(['createdAt', 'updatedAt', 'type']),
    status: CaseInsensitive(proposalStatuses).optional(),
    type: ProposalTypeFilter.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ proposals: z.array(ProposalResource) })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const page = pageOf(query, 'createdAt:desc');
    const { status, type } = query;
    const { proposals, total, now } = await readProposals(context, caller, { ...params, status, type, page });
    return ok(envelopedPage({ proposals: proposals.map(presentProposal) }, paginationOf(query, total), now));
  },
});

const ProposalWithOwnPart = ProposalResource.extend({
  own: OwnPartResource.nullable().describe("The part of the session's wallet in it; null without a session"),
}).meta({ id: 'ProposalDetail' });

const getProposal = route({
  method: 'get',
  path: '/proposals/:proposalId',
  operationId: 'readProposal',
  summary: "A proposal: its phases, how the vote stands, the caller's own part in it and what can be done",
  description:
    'Right for the clock even where no worker has moved the proposal on. `allowedActions` says of each action ' +
    'whether it is open to the caller now, else the code it would be refused with; `own` is null without a session.',
  permission: { resource: 'proposal', action: 'READ' },
  params: OneProposal,
  responses: { 200: Enveloped(ProposalWithOwnPart) },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const { proposal, own, now } = await readProposal(context, caller, params.proposalId);
    const { ftDecimals } = proposal.vault.terms;
    return ok(enveloped({ ...presentProposal(proposal), own: own && presentOwnPart(own, ftDecimals) }, now));
  },
});

const Changed = Enveloped(ProposalResource.extend({ transaction: AnchorTransaction }));

/** Nobody votes on it, endorses it or closes it meanwhile. */
function claimOn(proposalId: string): WriteLocks {
  return { fence: `proposal:${proposalId}`, side: 'closed', stakesOf: null };
}

const deleteProposal = route({
  method: 'delete',
  path: '/proposals/:proposalId',
  operationId: 'cancelProposal',
  summary: 'Cancel a proposal as a draft or in its lock phase',
  description:
    "By its proposer or the vault's admin, or a key with permission wallet:UPDATE. While voting or execution is " +
    'open nobody cancels.',
  answers: 'The proposal has FAILED with the reason `cancelled`',
  permission: { resource: 'proposal', action: 'DELETE', attributes: proposalFacts },
  params: OneProposal,
  responses: { 200: Changed },
  errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_CANCELLABLE', 'SERVICE_NOT_READY'],
  async handle({ params: { proposalId }, caller, correlationId, idempotency }, context) {
    const answer = await context.anchors.record(
      (work) =>
        idempotency.once(work.tx, async () => {
          const anchored = await cancelProposal(work, { proposalId, caller, correlationId });
          const shown = await changed(work, context, caller, proposalId);
          return ok(enveloped({ ...shown, transaction: presentAnchored(anchored) }, work.now));
        }),
      claimOn(proposalId),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

/** The proposal as the caller has just changed it. */
async function changed(
  { tx: db, now }: TransactionContext,
  { networkId }: ApiContext,
  caller: Caller,
  proposalId: string,
) {
  const found = await requireReadableProposal({ db }, caller, proposalId);
  return presentProposal(await viewProposal({ db, networkId, caller, now }, found));
}

/** Its proposer and the vault's admin may end it. */
async function proposalFacts({ proposalId }: { proposalId: string }, context: ApiContext, caller: Caller) {
  const proposal = await findProposal(context.db, proposalId);
  const vault = proposal && (await findVault(context.db, proposal.vaultId));
  return ownershipAttributes(context, caller, vault?.id, [proposal?.proposer, vault?.createdBy]);
}

const postEndorsement = route({
  method: 'post',
  path: '/proposals/:proposalId/endorsements',
  operationId: 'endorseProposal',
  summary: 'Stand behind a draft with what one has staked; enough of it opens the vote',
  description:
    'Once per wallet, with all that it has staked and is final. Whoever has staked more since may endorse again ' +
    'where that opens the vote. ' +
    optionalWalletText('walletAddress'),
  answers: 'The proposal as it is with the endorsement; ACTIVE when its vote is open',
  examples: { session: {} },
  permission: { resource: 'endorsement', action: 'CREATE' },
  params: OneProposal,
  body: z.strictObject({ walletAddress: AddressText.optional() }).meta({ id: 'Endorse' }),
  responses: { 201: Changed },
  errors: [
    'PROPOSAL_NOT_FOUND',
    'ENDORSING_CLOSED',
    'VAULT_NOT_LOCKED',
    'VAULT_ALREADY_ENDED',
    'ALREADY_ENDORSED',
    'INSUFFICIENT_VOTING_POWER',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'SERVICE_NOT_READY',
  ],
  async handle({ params: { proposalId }, body, caller, correlationId, idempotency }, context) {
    const endorser = await actorOf(context, caller, body.walletAddress, 'walletAddress');
    const answer = await context.anchors.record(
      (work) =>
        idempotency.once(work.tx, async () => {
          const input = { proposalId, endorser, caller, correlationId };
          const anchored = await endorseProposal(work, input);
          const shown = await changed(work, context, caller, proposalId);
          return created(enveloped({ ...shown, transaction: presentAnchored(anchored) }, work.now));
        }),
      claimOn(proposalId),
    );
    context.outboxRelay.deliver();
    return answer;
  },
});

export const proposalRoutes = [postProposal, getProposals, getProposal, deleteProposal, postEndorsement];
