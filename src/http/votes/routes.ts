import { z } from 'zod';
import type { Caller } from '../../domain/identity/caller.ts';
import type { AnchoringContext } from '../../anchoring/anchors.ts';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import { parseTokenAmount } from '../../domain/units/token-amount.ts';
import { parseDecision, voteStatuses } from '../../domain/vote/vote.ts';
import { ok } from '../server/answer.ts';
import { type ApiContext, route } from '../server/context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { exampleWallet } from '../server/example-wallet.ts';
import {
  AddressText,
  CborText,
  parsed,
  ResourceId,
  TokenAmount,
  CaseInsensitive,
  ParsedWord,
} from '../server/fields.ts';
import { requiredWalletText } from '../server/descriptions.ts';
import { actorOf } from '../../services/actor.ts';
import { revokeVote } from '../../services/votes/revoke-vote.ts';
import { verifyVoteSignature } from '../../services/votes/vote-signature.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';

import { AnchorTransaction, presentAnchored } from '../transactions/response.ts';
import { isReadable, ownershipAttributes } from '../../services/vaults/vault-access.ts';
import { presentVote, VoteRecorded, VoteResource } from './response.ts';
import { readVotes } from '../../services/votes/read-votes.ts';
import { findVoteWithProposal } from '../../services/votes/readable-vote.ts';
import { voteLocks } from '../../services/votes/vote-input.ts';
import { readVote } from '../../services/votes/read-votes.ts';

const OneProposal = z.strictObject({ proposalId: ResourceId });
const OneVote = z.strictObject({ voteId: ResourceId });

const Nonce = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{1,64}$/, 'At most 64 of A-Z a-z 0-9 . _ ~ -')
  .describe(
    'With `signature` and `key` the wallet signs its vote itself: CIP-30 signData of the text ' +
      '`vote:<proposalId>:<APPROVE|REJECT>:<amount in base units>:<nonce>` with the key of wallet_address. ' +
      'All three or none; a nonce is good for one vote of the wallet on the proposal.',
  );

const CastVote = z
  .strictObject({
    voter: z.strictObject({ wallet_address: AddressText, staked_ft_amount: TokenAmount }),
    vote: ParsedWord(['yes', 'no', 'approve', 'reject'], parseDecision),
    nonce: Nonce.optional(),
    signature: CborText.describe('COSE_Sign1 in CBOR hex').optional(),
    key: CborText.describe('COSE_Key in CBOR hex').optional(),
  })
  .superRefine(({ nonce, signature, key }, context) => {
    const missing = Object.entries({ nonce, signature, key }).filter(([, part]) => part === undefined);
    if (missing.length === 3) return;
    for (const [field] of missing) context.addIssue({ code: 'custom', path: [field], message: 'A signature needs it' });
  })
  .meta({ id: 'CastVote' });

const postVote = route({
  method: 'post',
  path: '/proposals/:proposalId/votes',
  operationId: 'castVote',
  summary: 'Vote with what one has staked; voting again replaces the vote',
  description:
    'Only stakes count that were final before voting opened (`GET ' +
    '/api/v1/wallets/{address}/voting-power?proposalId=`). A wallet has one vote on a proposal; another replaces ' +
    'it until voting closes. `staked_ft_amount` is in whole tokens and at most the power of the wallet. ' +
    requiredWalletText('wallet_address'),
  answers: 'The vote counts; `proof` is where it is proven once its anchor is built',
  examples: {
    yes: { voter: { wallet_address: exampleWallet, staked_ft_amount: 2500 }, vote: 'yes' },
    reject: { voter: { wallet_address: exampleWallet, staked_ft_amount: '2500.000001' }, vote: 'reject' },
  },
  permission: { resource: 'vote', action: 'CREATE' },
  params: OneProposal,
  body: CastVote,
  responses: { 200: VoteRecorded },
  errors: [
    'PROPOSAL_NOT_FOUND',
    'VOTING_NOT_OPEN',
    'VOTING_CLOSED',
    'NOT_STAKED_AT_SNAPSHOT',
    'INSUFFICIENT_VOTING_POWER',
    'VOTE_NONCE_USED',
    'INVALID_QUANTITY',
    'INVALID_SIGNATURE',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'SERVICE_NOT_READY',
  ],
  async handle({ params: { proposalId }, body, caller, correlationId, idempotency }, context) {
    const voter = await actorOf(context, caller, body.voter.wallet_address, 'voter.wallet_address');
    const { voteBatcher } = context;
    const vault = await voteBatcher.vaultOf(proposalId);
    if (!vault || !(await isReadable(context.db, caller, vault))) throw new ServiceError('PROPOSAL_NOT_FOUND');
    const amount = parseTokenAmount(body.voter.staked_ft_amount, vault.terms.ftDecimals);
    if (amount === undefined || amount === 0n) {
      const message = `More than 0, with at most ${vault.terms.ftDecimals} decimals`;
      throw fieldError('INVALID_QUANTITY', 'voter.staked_ft_amount', message);
    }
    const decision = parsed(parseDecision(body.vote));
    const ballot = { proposalId, vaultId: vault.id, voter, decision, amount };
    const input = { ...ballot, signed: verifyVoteSignature(body, ballot, context), caller, correlationId };
    return voteBatcher.cast({ input, sent: { vote: body.vote, amount: body.voter.staked_ft_amount }, idempotency });
  },
});

const getVotes = route({
  method: 'get',
  path: '/proposals/:proposalId/votes',
  operationId: 'listVotes',
  summary: 'List the votes on a proposal, those that were revoked or replaced among them',
  description: 'Replaced and revoked votes are REVOKED and do not count; CAST and CONFIRMED ones count alike.',
  answers: 'A page of votes',
  permission: { resource: 'vote', action: 'READ' },
  params: OneProposal,
  query: z.strictObject({ ...pageQuery(['castAt', 'amount']), status: CaseInsensitive(voteStatuses).optional() }),
  responses: { 200: EnvelopedPage(z.object({ votes: z.array(VoteResource) })) },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const page = pageOf(query, 'castAt:asc');
    const { votes, total } = await readVotes(context, caller, { ...params, status: query.status, page });
    return ok(
      envelopedPage({ votes: votes.map(presentVote) }, paginationOf(query, total), await context.readingTime()),
    );
  },
});

const getVote = route({
  method: 'get',
  path: '/votes/:voteId',
  operationId: 'readVote',
  summary: 'A vote with the link to its inclusion proof',
  description: 'CONFIRMED once the anchor that carries it is in a block; it counts before, too.',
  permission: { resource: 'vote', action: 'READ' },
  params: OneVote,
  responses: { 200: Enveloped(VoteResource) },
  errors: ['VOTE_NOT_FOUND'],
  async handle({ params: { voteId }, caller }, context) {
    const vote = await readVote(context, caller, voteId);
    return ok(enveloped(presentVote(vote), await context.readingTime()));
  },
});

const deleteVote = route({
  method: 'delete',
  path: '/votes/:voteId',
  operationId: 'revokeVote',
  summary: 'Take a vote back while voting is open; its power is free again',
  description: 'By its voter, or a key with permission wallet:UPDATE.',
  answers: 'The vote is REVOKED and counts no longer',
  permission: { resource: 'vote', action: 'DELETE', attributes: voteFacts },
  params: OneVote,
  responses: { 200: Enveloped(VoteResource.extend({ transaction: AnchorTransaction })) },
  errors: ['VOTE_NOT_FOUND', 'VOTE_ALREADY_REVOKED', 'VOTING_CLOSED', 'SERVICE_NOT_READY'],
  async handle({ params: { voteId }, caller, correlationId, idempotency }, context) {
    const found = await findVoteWithProposal(context.db, voteId);
    const claim = found ? voteLocks({ ...found.vote, vaultId: found.proposal.vaultId }) : undefined;
    const revoke = (work: AnchoringContext) =>
      idempotency.once(work.tx, async () => {
        const anchored = await revokeVote(work, { voteId, caller, correlationId });
        const shown = presentVote(await readVote({ db: work.tx }, caller, voteId));
        return ok(enveloped({ ...shown, transaction: presentAnchored(anchored) }, work.now));
      });
    return context.anchors.record(revoke, claim);
  },
});

async function voteFacts({ voteId }: { voteId: string }, context: ApiContext, caller: Caller) {
  const found = await findVoteWithProposal(context.db, voteId);
  return ownershipAttributes(context, caller, found?.proposal.vaultId, [found?.vote.wallet]);
}

export const voteRoutes = [postVote, getVotes, getVote, deleteVote];
