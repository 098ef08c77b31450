import { z } from 'zod';
import { actingWalletOf } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { maxWaitMsBefore } from '../anchoring/rules/pace.ts';
import { route, type ApiContext } from '../api-context.ts';
import { verifyVoteSignature } from '../cardano/keys/data-signature.ts';
import { fieldError, ServiceError } from '../platform/errors.ts';
import {
  requiredWalletText,
  parsed,
  ResourceId,
  AddressFilter,
  CaseInsensitive,
  ParsedWord,
} from '../platform/http/fields.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../platform/http/envelope.ts';
import { ok } from '../platform/http/route.ts';
import { recordOnce } from '../platform/http/run-once.ts';
import { type BaseUnits, parseTokenAmount } from '../platform/units/money.ts';
import { proposalDeadlines } from '../proposals/rules/phases.ts';
import { exampleWallet } from '../transactions/routes/examples.ts';
import { OperationTransaction, presentAnchored } from '../transactions/routes/response.ts';
import { isReadable, ownershipAttributes } from '../vaults/require-vault.ts';
import { readVote, findVoteWithProposal, readVotes } from './read-votes.ts';
import { revokeVote } from './revoke-vote.ts';
import { parseDecision, voteStatuses } from './rules.ts';
import { VoteRecorded, CastVote, presentVote, VoteResource } from './schemas.ts';
import { voteLocks } from './vote-input.ts';

const castVoteRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/votes',
  operationId: 'castVote',
  kind: 'batched change',
  specified: true,
  summary: 'Vote on a proposal',
  description:
    'Casts a vote with staked tokens, or replaces the earlier vote of the wallet until voting closes. ' +
    '`staked_ft_amount` is in whole tokens, at most the voting power of the wallet. Only stakes that were final ' +
    'when voting opened count (see `readVotingPower`). The number of changes per day is limited.\n\n' +
    requiredWalletText('wallet_address'),
  success: 'The vote is recorded and counts. `proof` is the path of its inclusion proof when its anchor is built.',
  examples: {
    yes: { voter: { wallet_address: exampleWallet, staked_ft_amount: 2500 }, vote: 'yes' },
    reject: { voter: { wallet_address: exampleWallet, staked_ft_amount: '2500.000001' }, vote: 'reject' },
  },
  permission: { resource: 'vote', action: 'CREATE' },
  params: z.strictObject({ proposalId: ResourceId }),
  body: CastVote,
  responses: { 200: VoteRecorded },
  errors: [
    'PROPOSAL_NOT_FOUND',
    'VOTING_NOT_OPEN',
    'VOTING_CLOSED',
    'NOT_STAKED_AT_SNAPSHOT',
    'INSUFFICIENT_VOTING_POWER',
    'VOTE_NONCE_USED',
    'FREE_ACTIONS_USED_UP',
    'INVALID_QUANTITY',
    'INVALID_SIGNATURE',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'SERVICE_NOT_READY',
  ],
  errorFields: {
    NOT_STAKED_AT_SNAPSHOT: 'voter.wallet_address',
    INSUFFICIENT_VOTING_POWER: 'voter.staked_ft_amount',
    VOTE_NONCE_USED: 'nonce',
    INVALID_SIGNATURE: 'signature',
  },
  async handle({ params: { proposalId }, body, caller, correlationId, idempotency }, context) {
    const voter = await actingWalletOf(context, caller, body.voter.wallet_address, 'voter.wallet_address');
    const { voteBatcher } = context;
    const votedOn = await voteBatcher.votedOn(proposalId);
    if (!votedOn || !(await isReadable(context.db, caller, votedOn.vault)))
      throw new ServiceError('PROPOSAL_NOT_FOUND');
    const { vault, votingEndsAt } = votedOn;
    const amount = parseVoteAmount(body.voter.staked_ft_amount, vault.terms.ftDecimals);
    const vote = { proposalId, vaultId: vault.id, voter, decision: parsed(parseDecision(body.vote)), amount };
    const input = { ...vote, signed: verifyVoteSignature(body, vote, context), caller, correlationId };
    const sent = { vote: body.vote, amount: body.voter.staked_ft_amount };
    return voteBatcher.cast({ input, votingEndsAt, sent, idempotency });
  },
});

/** Whole tokens as base units. */
function parseVoteAmount(wholeTokens: string | number, decimals: number): BaseUnits {
  const amount = parseTokenAmount(wholeTokens, decimals);
  if (amount !== undefined && amount !== 0n) return amount;
  throw fieldError('INVALID_QUANTITY', 'voter.staked_ft_amount', `Must be above 0, with at most ${decimals} decimals.`);
}

const revokeVoteRoute = route({
  method: 'delete',
  path: '/votes/:voteId',
  operationId: 'revokeVote',
  kind: 'batched change',
  summary: 'Revoke a vote',
  description:
    'You can revoke a vote while voting is open. Its voting power becomes free again. Allowed for the voter, and ' +
    'for a key with `wallet:UPDATE`.',
  success: 'The vote is REVOKED and no longer counts',
  permission: { resource: 'vote', action: 'DELETE', attributes: voteOwnershipAttributes },
  params: z.strictObject({ voteId: ResourceId }),
  responses: { 200: Enveloped(VoteResource.extend({ transaction: OperationTransaction })) },
  errors: ['VOTE_NOT_FOUND', 'VOTE_ALREADY_REVOKED', 'VOTING_CLOSED', 'FREE_ACTIONS_USED_UP', 'SERVICE_NOT_READY'],
  async handle({ params: { voteId }, caller, correlationId, idempotency }, api) {
    const found = await findVoteWithProposal(api.db, voteId);
    const locks = found ? voteLocks({ ...found.vote, vaultId: found.proposal.vaultId }) : undefined;
    const maxWaitMs = maxWaitMsBefore(found ? proposalDeadlines(found.proposal) : [], await api.readingTime());
    return recordOnce(api, { idempotency, locks, maxWaitMs }, async (context) => {
      const anchored = await revokeVote(context, api, { voteId, caller, correlationId });
      const vote = presentVote(await readVote(context.tx, caller, voteId));
      return ok(enveloped({ ...vote, transaction: presentAnchored(anchored) }, context.now));
    });
  },
});

/** The voter owns the vote. */
async function voteOwnershipAttributes({ voteId }: { voteId: string }, api: ApiContext, caller: Caller) {
  const found = await findVoteWithProposal(api.db, voteId);
  return ownershipAttributes(api.db, caller, found?.proposal.vaultId, [found?.vote.wallet]);
}

const listVotesRoute = route({
  method: 'get',
  path: '/proposals/:proposalId/votes',
  operationId: 'listVotes',
  summary: 'List the votes on a proposal',
  description:
    'Includes revoked and replaced votes. They have the status REVOKED and do not count. CAST and CONFIRMED votes count equally.',
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

const readVoteRoute = route({
  method: 'get',
  path: '/votes/:voteId',
  operationId: 'readVote',
  summary: 'Get a vote',
  description:
    'Returns a vote with the path of its inclusion proof. The vote counts as soon as it is cast. It is CONFIRMED ' +
    'when the transaction that anchors it is in a block.',
  permission: { resource: 'vote', action: 'READ' },
  params: z.strictObject({ voteId: ResourceId }),
  responses: { 200: Enveloped(VoteResource) },
  errors: ['VOTE_NOT_FOUND'],
  async handle({ params: { voteId }, caller }, context) {
    const view = await readVote(context.db, caller, voteId);
    const now = await context.readingTime();
    return ok(enveloped(presentVote(view), now));
  },
});

/** The operations on votes, in the order of the OpenAPI document. */
export const voteRoutes = [castVoteRoute, listVotesRoute, readVoteRoute, revokeVoteRoute];
