import type { Caller } from '../../domain/identity/caller.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { type AnchoredFactTransaction, factTransactions } from '../../store/anchor-facts.ts';

import type { Db } from '../../store/database.ts';
import type { Page, PageCount } from '../../store/page.ts';
import { listVotes, type VoteFilter } from '../../store/listed-votes.ts';
import { liveVotes } from '../../store/proposal-votes.ts';
import { type Vote } from '../../store/votes.ts';
import { proposalVotingPowers } from '../../store/voting-powers.ts';
import type { ServiceContext } from '../context.ts';
import { type ProposalWithVault, requireReadableProposal } from '../proposals/readable-proposal.ts';
import { requireReadableVote } from './readable-vote.ts';

/** A vote with its anchor. */
export interface VoteView {
  readonly vote: Vote;
  /** The anchored fact and its transaction; undefined until the anchor is built. */
  readonly anchor: AnchoredFactTransaction | undefined;
  /** Decimals of the vault's token. */
  readonly decimals: number;
}

/** The voting power of a wallet in one proposal, and its live vote. */
export interface VotingPosition {
  readonly wallet: string;
  /** Base units with which the wallet can vote; 0 until voting opens. */
  readonly power: BaseUnits;
  readonly vote: VoteView | null;
}

interface VoteQuery extends VoteFilter {
  readonly page: Page<'castAt' | 'amount' | 'status' | 'decision'>;
}

/** A page of the votes on a proposal. Throws PROPOSAL_NOT_FOUND. */
export async function readVotes(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { page, ...filter }: VoteQuery,
): Promise<{ votes: readonly VoteView[]; count: PageCount; vaultId: string }> {
  const { vault } = await requireReadableProposal({ db }, caller, filter.proposalId);
  const { votes, count } = await listVotes(db, filter, page);
  const voteIds = votes.map(({ id }) => id);
  const anchors = await factTransactions(db, voteIds);
  const decimals = vault.terms.ftDecimals;
  return { votes: votes.map((vote) => ({ vote, anchor: anchors.get(vote.id), decimals })), count, vaultId: vault.id };
}

/** One vote. Throws VOTE_NOT_FOUND. */
export async function readVote(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  voteId: string,
): Promise<VoteView & { readonly vaultId: string }> {
  const { vote, vault } = await requireReadableVote({ db }, caller, voteId);
  return { vote, anchor: await anchorOf(db, vote), decimals: vault.terms.ftDecimals, vaultId: vault.id };
}

/** The voting power and the live vote of a wallet in a proposal. */
export async function readVotingPosition(
  db: Db,
  { proposal, vault }: ProposalWithVault,
  wallet: string,
): Promise<VotingPosition> {
  const { id } = proposal;
  const decimals = vault.terms.ftDecimals;
  const vote = (await liveVotes(db, { proposalIds: [id], wallets: [wallet] }))[0]?.read();
  const power = (await proposalVotingPowers(db, [proposal], wallet)).get(id) ?? baseUnits(0n);
  return { wallet, power, vote: vote ? { vote, anchor: await anchorOf(db, vote), decimals } : null };
}

async function anchorOf(db: Db, { id }: Vote): Promise<AnchoredFactTransaction | undefined> {
  return (await factTransactions(db, [id])).get(id);
}
