import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { findProposal, type Proposal } from '../proposals/queries/proposals.ts';
import { findVault, type Vault } from '../vaults/queries/vaults.ts';
import { findVote, type Vote } from './queries/votes.ts';
import type { ServiceContext } from '../context.ts';
import { isReadable } from '../vaults/vault-access.ts';

/** A vote with its proposal; null when there is no such vote. */
export async function findVoteWithProposal(
  db: Db | Transaction,
  voteId: string,
): Promise<{ vote: Vote; proposal: Proposal } | null> {
  const vote = await findVote(db, voteId);
  const proposal = vote && (await findProposal(db, vote.proposalId));
  return proposal && { vote, proposal };
}

/** A vote with its proposal and vault. Throws VOTE_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function requireReadableVote(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  voteId: string,
): Promise<{ vote: Vote; proposal: Proposal; vault: Vault }> {
  const found = await findVoteWithProposal(db, voteId);
  const vault = found && (await findVault(db, found.proposal.vaultId));
  if (!vault || !(await isReadable(db, caller, vault))) throw new ServiceError('VOTE_NOT_FOUND');
  return { ...found, vault };
}
