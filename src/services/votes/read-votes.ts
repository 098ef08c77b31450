import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { type AnchoredFactTransaction, factTransactions } from '../../store/anchor-facts.ts';
import type { Db } from '../../store/database.ts';
import type { Page, PageCount } from '../../store/page.ts';
import { findListedVote, type ListedVote, listVotes, type VoteFilter } from '../../store/listed-votes.ts';
import { liveVotes } from '../../store/proposal-votes.ts';
import { type Vote } from '../../store/votes.ts';
import { proposalVotingPowers } from '../../store/voting-powers.ts';
import type { ServiceContext } from '../context.ts';
import type { ProposalWithVault } from '../proposals/readable-proposal.ts';
import { readerScope } from '../vaults/vault-access.ts';

/** A vote with its anchor. */
export type VoteView = Omit<ListedVote, 'vaultId'>;

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

/** A page of the votes on a proposal. Throws PROPOSAL_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function readVotes(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { page, ...filter }: VoteQuery,
): Promise<{ votes: readonly VoteView[]; count: PageCount; vaultId: string }> {
  const found = await listVotes(db, filter, readerScope(caller), page);
  if (!found) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return found;
}

/** One vote. Throws VOTE_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function readVote(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  voteId: string,
): Promise<VoteView & { readonly vaultId: string }> {
  const found = await findListedVote(db, voteId, readerScope(caller));
  if (!found) throw new ServiceError('VOTE_NOT_FOUND');
  return found;
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
