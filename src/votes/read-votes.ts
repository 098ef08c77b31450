import type { BaseUnits } from '../platform/units/money.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { findListedVote, type ListedVote, listVotes, type VoteFilter } from './queries/listed-votes.ts';
import type { ServiceContext } from '../context.ts';
import { readerScope } from '../vaults/vault-access.ts';

/** The voting power of a wallet in one proposal, and its live vote. */
export interface VotingPosition {
  readonly wallet: string;
  /** Base units with which the wallet can vote; 0 until voting opens. */
  readonly power: BaseUnits;
  readonly vote: ListedVote | null;
}

interface VoteQuery extends VoteFilter {
  readonly page: Page<'castAt' | 'amount' | 'status' | 'decision'>;
}

/** A page of the votes on a proposal. Throws PROPOSAL_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function readVotes(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { page, ...filter }: VoteQuery,
): Promise<{ votes: readonly ListedVote[]; count: PageCount }> {
  const found = await listVotes(db, filter, readerScope(caller), page);
  if (!found) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return found;
}

/** One vote. Throws VOTE_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function readVote(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  voteId: string,
): Promise<ListedVote> {
  const found = await findListedVote(db, voteId, readerScope(caller));
  if (!found) throw new ServiceError('VOTE_NOT_FOUND');
  return found;
}
