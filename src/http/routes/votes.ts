import { z } from 'zod';
import type { Caller } from '../../auth/caller.ts';
import type { AnchoringWork } from '../../anchors/anchors.ts';
import { fieldError, ServiceError } from '../../domain/errors.ts';
import { isoText } from '../../domain/instant.ts';
import { parseTokenAmount } from '../../domain/token-amount.ts';
import { parseDecision, voteStatuses } from '../../domain/vote.ts';
import { carriedFacts } from '../../store/anchors.ts';
import type { Claim } from '../../store/claims.ts';
import { inRounds } from '../../store/in-rounds.ts';
import { proposalsById } from '../../store/proposals.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import { listVotes } from '../../store/votes.ts';
import { ok } from '../answer.ts';
import { type ApiContext, route } from '../context.ts';
import { Enveloped, enveloped, EnvelopedPage, envelopedPage } from '../envelope.ts';
import { exampleWallet } from '../example-wallet.ts';
import { AddressText, AmountText, CborText, ResourceId, Timestamp, TokenAmount, Word, WordOf } from '../fields.ts';
import { unkeyed } from '../idempotency.ts';
import { whoMustAct } from '../operation-words.ts';
import { actorOf } from '../operations/acting.ts';
import { castVotes, type VoteCast, type VoteWish } from '../operations/cast-votes.ts';
import { revokeVote } from '../operations/revoke-vote.ts';
import { signatureOf } from '../operations/vote-signature.ts';
import { pageOf, pageQuery, paginationOf } from '../paging.ts';
import { readableProposal, readableVote, voteWithProposal } from '../proposal-reading.ts';
import {
  AnchorTransaction,
  PlatformTransaction,
  presentAnchor,
  presentAnchored,
  ProofLink,
  proofLink,
} from '../transaction-presenter.ts';
import { isShown, ownFacts } from '../vault-reading.ts';
import { presentVote, VoteResource } from '../vote-presenter.ts';

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
    vote: WordOf(['yes', 'no', 'approve', 'reject'], parseDecision),
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

const VoteRecorded = z.object({
  vault_id: z.uuid(),
  proposal_id: z.uuid(),
  voter: z.string(),
  transaction: PlatformTransaction,
  vote: z.string().describe('As it was sent'),
  staked_ft_amount: z.number().describe('Whole tokens, as they were sent'),
  status: z.literal('vote_recorded'),
  updated_at: Timestamp.describe('When it was cast'),
  staked_ft_amount_base_units: AmountText.describe('Base units that count, exactly'),
  vote_id: z.uuid(),
  proof: ProofLink,
});

/** What voters share who vote at about the same time, in one process. */
interface Polling {
  /** The vault of a proposal; null when there is no such proposal. */
  readonly vaultOf: (proposalId: string) => Promise<Vault | null>;
  readonly cast: (wish: VoteWish) => Promise<VoteCast>;
}

const pollings = new WeakMap<ApiContext, Polling>();

function pollingOf(context: ApiContext): Polling {
  const known = pollings.get(context);
  if (known) return known;
  const { db, anchors } = context;
  const polling: Polling = {
    vaultOf: inRounds(async (proposalIds: readonly string[]) => {
      const proposals = await proposalsById(db, [...new Set(proposalIds)]);
      const vaultIds = new Set([...proposals.values()].map(({ vaultId }) => vaultId));
      const vaults = new Map(await Promise.all([...vaultIds].map(async (id) => [id, await getVault(db, id)] as const)));
      return (proposalId) => vaults.get(proposals.get(proposalId)?.vaultId ?? '') ?? null;
    }),
    cast: anchors.group(
      (work, wishes: readonly VoteWish[]) => castVotes(work, context, wishes),
      ({ voter, ...wish }) => claimOf({ ...wish, wallet: voter.address }),
    ),
  };
  pollings.set(context, polling);
  return polling;
}

const postVote = route({
  method: 'post',
  path: '/proposals/:proposalId/votes',
  operationId: 'castVote',
  summary: 'Vote with what one has staked; voting again replaces the vote',
  description:
    'Only stakes count that were final before voting opened (`GET ' +
    '/api/v1/wallets/{address}/voting-power?proposalId=`). A wallet has one vote on a proposal; another replaces ' +
    'it until voting closes. `staked_ft_amount` is in whole tokens and at most the power of the wallet. ' +
    whoMustAct('wallet_address'),
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
    const { vaultOf, cast } = pollingOf(context);
    const vault = await vaultOf(proposalId);
    if (!vault || !(await isShown(context.db, caller, vault))) throw new ServiceError('PROPOSAL_NOT_FOUND');
    const amount = parseTokenAmount(body.voter.staked_ft_amount, vault.terms.ftDecimals);
    if (amount === undefined || amount === 0n) {
      const message = `More than 0, with at most ${vault.terms.ftDecimals} decimals`;
      throw fieldError('INVALID_QUANTITY', 'voter.staked_ft_amount', message);
    }
    const decision = parseDecision(body.vote) ?? 'REJECT';
    const ballot = { proposalId, vaultId: vault.id, voter, decision, amount };
    const wish = { ...ballot, signed: signatureOf(body, ballot, context), caller, correlationId };
    const recorded = ({ vote, transactionHash }: VoteCast) =>
      ok({
        vault_id: vault.id,
        proposal_id: proposalId,
        voter: vote.wallet,
        transaction: presentAnchor(transactionHash),
        vote: body.vote,
        staked_ft_amount: Number(body.voter.staked_ft_amount),
        status: 'vote_recorded',
        updated_at: isoText(vote.castAt),
        staked_ft_amount_base_units: vote.amount.toString(),
        vote_id: vote.id,
        proof: proofLink(vote.id),
      } as const);
    if (idempotency === unkeyed) return recorded(await cast(wish));
    // A key belongs to its own request, so its refusal must be able to undo it alone.
    return context.anchors.record(
      (work) => idempotency.once(work.tx, async () => recorded(await castAlone(work, context, wish))),
      claimOf({ proposalId, vaultId: vault.id, wallet: voter.address }),
    );
  },
});

/** Its proposal stays open, and nobody else changes its wallet's stakes. */
function claimOf({ proposalId, vaultId, wallet }: Record<'proposalId' | 'vaultId' | 'wallet', string>): Claim {
  return { fence: `proposal:${proposalId}`, side: 'shared', stakesOf: { vaultId, wallet } };
}

async function castAlone(work: AnchoringWork, context: ApiContext, wish: VoteWish): Promise<VoteCast> {
  const [cast] = await castVotes(work, context, [wish]);
  if (cast === undefined || cast instanceof Error) throw cast ?? new ServiceError('SYSTEM_ERROR');
  return cast;
}

const getVotes = route({
  method: 'get',
  path: '/proposals/:proposalId/votes',
  operationId: 'listVotes',
  summary: 'List the votes on a proposal, those that were revoked or replaced among them',
  description: 'Replaced and revoked votes are REVOKED and do not count; CAST and CONFIRMED ones count alike.',
  answers: 'A page of votes',
  permission: { resource: 'vote', action: 'READ' },
  params: OneProposal,
  query: z.strictObject({ ...pageQuery(['castAt', 'amount']), status: Word(voteStatuses).optional() }),
  responses: { 200: EnvelopedPage(z.object({ votes: z.array(VoteResource) })) },
  errors: ['PROPOSAL_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { db } = context;
    const { vault } = await readableProposal(context, caller, params.proposalId);
    const { ftDecimals: decimals } = vault.terms;
    const filter = { proposalId: params.proposalId, status: query.status };
    const { votes, total } = await listVotes(db, filter, pageOf(query, 'castAt:asc'));
    const anchors = await carriedFacts(
      db,
      votes.map(({ id }) => id),
    );
    const shown = votes.map((vote) => presentVote({ vote, carried: anchors.get(vote.id), decimals }));
    return ok(envelopedPage({ votes: shown }, paginationOf(query, total), await context.readingTime()));
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
    const { vote, vault } = await readableVote(context, caller, voteId);
    const carried = (await carriedFacts(context.db, [voteId])).get(voteId);
    const shown = presentVote({ vote, carried, decimals: vault.terms.ftDecimals });
    return ok(enveloped(shown, await context.readingTime()));
  },
});

const deleteVote = route({
  method: 'delete',
  path: '/votes/:voteId',
  operationId: 'revokeVote',
  summary: 'Take a vote back while voting is open; its power is free again',
  description: 'By its voter, or a key with permission wallet:UPDATE.',
  answers: 'The vote is REVOKED and counts no longer',
  permission: { resource: 'vote', action: 'DELETE', facts: voteFacts },
  params: OneVote,
  responses: { 200: Enveloped(VoteResource.extend({ transaction: AnchorTransaction })) },
  errors: ['VOTE_NOT_FOUND', 'VOTE_ALREADY_REVOKED', 'VOTING_CLOSED', 'SERVICE_NOT_READY'],
  async handle({ params: { voteId }, caller, correlationId, idempotency }, context) {
    const found = await voteWithProposal(context.db, voteId);
    const claim = found ? claimOf({ ...found.vote, vaultId: found.proposal.vaultId }) : undefined;
    const revoke = (work: AnchoringWork) =>
      idempotency.once(work.tx, async () => {
        const anchored = await revokeVote(work, context, { voteId, caller, correlationId });
        const { vote, vault } = await readableVote({ db: work.tx }, caller, voteId);
        const carried = (await carriedFacts(work.tx, [voteId])).get(voteId);
        const shown = presentVote({ vote, carried, decimals: vault.terms.ftDecimals });
        return ok(enveloped({ ...shown, transaction: presentAnchored(anchored) }, work.now));
      });
    return context.anchors.record(revoke, claim);
  },
});

async function voteFacts({ voteId }: { voteId: string }, context: ApiContext, caller: Caller) {
  const found = await voteWithProposal(context.db, voteId);
  return ownFacts(context, caller, found?.proposal.vaultId, [found?.vote.wallet]);
}

export const voteRoutes = [postVote, getVotes, getVote, deleteVote];
