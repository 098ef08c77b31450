import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import type { Page } from '../platform/database/page.ts';
import { type ListedPowers, listPowers } from '../staking/queries/wallet-powers.ts';
import type { ServiceContext } from '../context.ts';
import { readerScope } from '../vaults/vault-access.ts';

interface VotingPowerQuery {
  readonly wallet: string;
  /** Restricts the result to this proposal and its vault. */
  readonly proposalId?: string | undefined;
  readonly page: Page<'createdAt'>;
}

/** The stakes and voting power of a wallet by vault, in the vaults that the caller may read. Throws PROPOSAL_NOT_FOUND. */
export async function readVotingPower(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { wallet, proposalId, page }: VotingPowerQuery,
): Promise<ListedPowers> {
  const listed = await listPowers(db, { wallet, proposalId, readerScope: readerScope(caller) }, page);
  if (proposalId !== undefined && listed.inProposal === null) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return listed;
}
