import type { Caller } from '../../domain/identity/caller.ts';
import { baseUnits } from '../../domain/units/money.ts';
import type { Page, PageCount } from '../../store/page.ts';
import type { Proposal } from '../../store/proposals.ts';
import { listPowers, type PowerFilter, type VaultPower } from '../../store/wallet-powers.ts';
import type { Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';

import { readerScope } from '../vaults/vault-access.ts';
import { requireReadableProposal } from '../proposals/readable-proposal.ts';
import { readVotingPosition, type VotingPosition } from '../votes/read-votes.ts';

/** The voting power of a wallet in one proposal, and its vote there. */
export interface ProposalPower extends Pick<VotingPosition, 'vote'> {
  readonly proposal: Proposal;
  readonly power: VaultPower;
}

interface WalletPowers {
  readonly powers: readonly VaultPower[];
  /** The number of vaults on all pages. */
  readonly count: PageCount;
  /** Null unless a proposal was asked for. */
  readonly inProposal: ProposalPower | null;
}

const onlyRow: Page<'createdAt'> = { limit: 1, offset: 0, sort: { field: 'createdAt', direction: 'asc' } };

interface VotingPowerQuery {
  readonly wallet: string;
  /** Restricts the result to this proposal and its vault. */
  readonly proposalId?: string | undefined;
  readonly page: Page<'createdAt'>;
}

/** The stakes and voting power of a wallet by vault, in the vaults that the caller may read. Throws PROPOSAL_NOT_FOUND. */
export async function readVotingPower(
  context: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { wallet, proposalId, page }: VotingPowerQuery,
): Promise<WalletPowers> {
  const { db } = context;
  const readable = { wallet, readerScope: readerScope(caller) };
  if (proposalId === undefined) return { ...(await listPowers(db, readable, page)), inProposal: null };
  const { proposal, vault } = await requireReadableProposal(context, caller, proposalId);
  const filter = { ...readable, vaultId: vault.id };
  const listed = await listPowers(db, filter, page);
  return { ...listed, inProposal: await powerInProposal(context, proposal, vault, filter) };
}

async function powerInProposal(
  { db }: Pick<ServiceContext, 'db'>,
  proposal: Proposal,
  vault: Vault,
  filter: PowerFilter,
): Promise<ProposalPower> {
  const {
    id: vaultId,
    terms: { ftDecimals },
  } = vault;
  const { power: votingPower, vote } = await readVotingPosition(db, { proposal, vault }, filter.wallet);
  const [inVault] = (await listPowers(db, filter, onlyRow)).powers;
  const staked = inVault?.staked ?? baseUnits(0n);
  const usedPower = vote?.vote.amount ?? baseUnits(0n);
  return { proposal, power: { vaultId, ftDecimals, staked, votingPower, usedPower }, vote };
}
