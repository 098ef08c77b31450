import type { AnchoringContext } from '../../anchoring/anchors.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { BaseUnits } from '../../domain/units/money.ts';

import { type VoteDecision, type VoteSignature } from '../../domain/vote/vote.ts';
import { voteSummaries, type VoteSummary, proposalSnapshot } from './ballots.ts';
import { type NewEvent, recordEvents } from '../../store/events.ts';
import { shareFence } from '../../store/fences.ts';
import { type Proposal, proposalsById } from '../../store/proposals.ts';
import { lockStakesOfWallets, updateStakeUses } from '../../store/stake-uses.ts';
import type { Stake } from '../../store/stakes.ts';
import { insertVotes, type NewVote, revokeVotes, type UsedNonce, usedNonces, type Vote } from '../../store/votes.ts';
import { liveVotes } from '../../store/proposal-votes.ts';
import type { ServiceContext } from '../context.ts';
import { voteAnchorPayload } from '../proposals/anchor-payloads.ts';
import type { Actor } from '../actor.ts';
import { publishAll } from '../publish.ts';
import { requireAction } from '../../domain/proposal/action-refusals.ts';
import { allocateVote } from '../../domain/vote/voting-power.ts';

export interface VoteInput {
  readonly proposalId: string;
  readonly vaultId: string;
  readonly voter: Actor;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
  /** Verified; null when the wallet did not sign. */
  readonly signed: VoteSignature | null;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface VoteCast {
  readonly vote: NewVote;
  readonly transactionHash: string;
}

interface Judged {
  readonly wish: VoteInput;
  readonly vote: NewVote;
}

interface Accepted extends Judged {
  /** The vote of the same wallet that it took the place of. */
  readonly replaces: string | null;
}

type Context = Pick<ServiceContext, 'ids'>;

/**
 * Counts votes that arrived together, in a handful of statements; the close waits for them, or they for it. A refusal answers
 * its own wish alone: VOTING_NOT_OPEN, VOTING_CLOSED, NOT_STAKED_AT_SNAPSHOT, INSUFFICIENT_VOTING_POWER or VOTE_NONCE_USED.
 */
export async function castVotes(
  work: AnchoringContext,
  context: Context,
  wishes: readonly VoteInput[],
): Promise<(VoteCast | Error)[]> {
  const { tx, now } = work;
  const proposalIds = [...new Set(wishes.map(({ proposalId }) => proposalId))].sort();
  for (const proposalId of proposalIds) await shareFence(tx, `proposal:${proposalId}`);
  const electorate = await gather(work, proposalIds, wishes);
  const judgements = withOwnNonces(
    wishes.map((wish) => judged(wish, electorate, work, context)),
    electorate,
  );
  const accepted = superseding(judgements, electorate.live, now);
  const transactionHash = accepted.length === 0 ? '' : await write(work, context, electorate, accepted);
  return judgements.map((one) => (one instanceof ServiceError ? one : { vote: one.vote, transactionHash }));
}

/** Changes what the accepted votes change; answers the hash of the anchor. */
async function write(
  work: AnchoringContext,
  context: Context,
  { live, stakes }: Electorate,
  accepted: readonly Accepted[],
): Promise<string> {
  const { tx, now } = work;
  const replaced = new Set(accepted.map(({ replaces }) => replaces));
  const votes = accepted.map(({ vote }) => vote);
  const stakeIds = stakes.map(({ id }) => id);
  const revoked = live.filter(({ id }) => replaced.has(id));
  await revokeVotes(tx, revoked, now);
  await insertVotes(tx, votes);
  await updateStakeUses(tx, stakeIds, now);
  return anchored(work, context, accepted);
}

interface Electorate {
  /** As they are under the fence, or why nobody can vote on them now. */
  readonly proposals: ReadonlyMap<string, Proposal | ServiceError>;
  /** Of all who vote here, locked. */
  readonly stakes: readonly Stake[];
  readonly stakesOf: ReadonlyMap<string, readonly Stake[]>;
  readonly live: readonly Vote[];
  readonly nonces: readonly UsedNonce[];
}

async function gather(
  { tx, now }: AnchoringContext,
  proposalIds: readonly string[],
  wishes: readonly VoteInput[],
): Promise<Electorate> {
  const found = await proposalsById(tx, proposalIds);
  const closing = [...found.values()].filter(({ phases }) => phases !== null && phases.voting.endsAt <= now);
  const ballots = await voteSummaries(tx, closing);
  const proposals = new Map<string, Proposal | ServiceError>();
  for (const proposal of found.values()) proposals.set(proposal.id, open(proposal, ballots.get(proposal.id), now));

  const vaultIds = [...new Set(wishes.map(({ vaultId }) => vaultId))];
  const wallets = [...new Set(wishes.map(({ voter }) => voter.address))];
  const stakes = await lockStakesOfWallets(tx, { vaultIds, wallets });
  const stakesOf = Map.groupBy(stakes, ({ vaultId, wallet }) => keyOf(vaultId, wallet));
  const live = await liveVotes(tx, { proposalIds, wallets });
  const signed = wishes.flatMap(({ proposalId, voter, signed: own }) =>
    own ? [{ proposalId, wallet: voter.address, nonce: own.nonce }] : [],
  );
  return { proposals, stakes, stakesOf, live, nonces: await usedNonces(tx, signed) };
}

function open(proposal: Proposal, ballot: VoteSummary | undefined, now: Instant): Proposal | ServiceError {
  try {
    requireAction('vote', proposalSnapshot(proposal, ballot), now);
    return proposal;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** The vote as it will be counted, or why it will not. */
function judged(
  wish: VoteInput,
  { proposals, stakesOf }: Electorate,
  { now }: AnchoringContext,
  { ids }: Context,
): Judged | ServiceError {
  const { proposalId, vaultId, decision, amount, signed } = wish;
  const proposal = proposals.get(proposalId) ?? new ServiceError('PROPOSAL_NOT_FOUND');
  if (proposal instanceof ServiceError) return proposal;
  if (proposal.phases === null) return new ServiceError('VOTING_NOT_OPEN');
  const wallet = wish.voter.address;
  try {
    const uses = allocateVote(amount, stakesOf.get(keyOf(vaultId, wallet)) ?? [], proposal.phases);
    const vote = { id: ids.next(), proposalId, wallet, decision, amount, uses, castAt: now, revokedAt: null, signed };
    return { wish, vote };
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Refuses a signature whose nonce an earlier vote was signed with, so that nobody casts a wallet's old vote again. */
function withOwnNonces(
  judgements: readonly (Judged | ServiceError)[],
  { nonces }: Electorate,
): (Judged | ServiceError)[] {
  const used = new Map(nonces.map(({ id, proposalId, wallet, nonce }) => [keyOf(proposalId, wallet, nonce), id]));
  return judgements.map((one) => {
    if (one instanceof ServiceError || one.vote.signed === null) return one;
    const { id, proposalId, wallet, signed } = one.vote;
    const key = keyOf(proposalId, wallet, signed.nonce);
    const voteId = used.get(key);
    if (voteId !== undefined) return new ServiceError('VOTE_NONCE_USED', { voteId });
    used.set(key, id);
    return one;
  });
}

/** Of several votes of one wallet on one proposal each is answered, and the last one stands. */
function superseding(judgements: readonly (Judged | Error)[], live: readonly Vote[], now: Instant): Accepted[] {
  const latest = new Map(live.map(({ id, proposalId, wallet }) => [keyOf(proposalId, wallet), id]));
  const accepted = judgements.flatMap((one): Accepted[] => {
    if (one instanceof Error) return [];
    const { wish, vote } = one;
    const key = keyOf(vote.proposalId, vote.wallet);
    const replaces = latest.get(key) ?? null;
    latest.set(key, vote.id);
    return [{ wish, vote, replaces }];
  });
  const standing = new Set(latest.values());
  return accepted.map(({ wish, vote, replaces }) => ({
    wish,
    replaces,
    vote: standing.has(vote.id) ? vote : { ...vote, revokedAt: now },
  }));
}

/** Puts the votes on their way to the ledger and tells of them; answers the hash of the anchor. */
async function anchored(work: AnchoringContext, { ids }: Context, accepted: readonly Accepted[]) {
  const { tx, now } = work;
  const facts = accepted.map(({ wish: { vaultId }, vote, replaces }) => ({
    factId: vote.id,
    vaultId,
    fact: voteAnchorPayload(vote, vaultId, replaces),
  }));
  const transactionHash = await work.anchor(...facts);
  const events = accepted.map(({ wish: { vaultId, correlationId }, vote, replaces }): NewEvent => {
    const { id: voteId, proposalId, decision, amount } = vote;
    const data = { voteId, proposalId, decision, amountBaseUnits: amount.toString(), replaces };
    return { type: 'VOTE_CAST', vaultId, actor: vote.wallet, transactionHash, correlationId, data };
  });
  await recordEvents({ tx, ids, now }, events);
  const deeds = accepted.map(({ wish: { caller, voter }, vote: { id, proposalId } }) => ({
    action: 'VOTE_CAST',
    resource: { type: 'vote', id },
    caller,
    onBehalfOf: voter.onBehalfOf,
    metadata: { proposalId, transactionHash },
  }));
  await publishAll(
    { tx, ids, now },
    deeds.map((audit) => ({ audit })),
  );
  return transactionHash;
}

function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}
