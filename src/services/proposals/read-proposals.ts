import type { Caller } from '../../domain/identity/caller.ts';
import { phaseAt } from '../../domain/proposal/phase-view.ts';
import type { ProposalStatus, ProposalType } from '../../domain/proposal/proposal.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Db } from '../../store/database.ts';
import type { Page, PageCount } from '../../store/page.ts';
import { type StatusFilter, overdueProposals } from '../../store/vault-proposals.ts';

import type { ServiceContext } from '../context.ts';

import type { VotingPosition } from '../votes/read-votes.ts';
import { proposalSnapshot, voteSummaries } from '../votes/vote-summaries.ts';
import { listViewedProposals } from '../../store/viewed-proposals.ts';
import { ServiceError } from '../../domain/errors.ts';
import { proposalReader } from './participation.ts';
import { type ProposalView, readProposalView, viewProposals } from './view-proposals.ts';

type Context = Pick<ServiceContext, 'db' | 'networkId' | 'readingTime'>;

interface ProposalQuery {
  readonly vaultId: string;
  readonly status: ProposalStatus | undefined;
  readonly type: ProposalType | undefined;
  readonly createdBy: string | undefined;
  readonly page: Page<'createdAt' | 'updatedAt' | 'type' | 'status'>;
}

/** A page of the proposals of a vault at `now`. Throws VAULT_NOT_FOUND. */
export async function readProposals(
  { db, networkId, readingTime }: Context,
  caller: Caller,
  { vaultId, status, type, createdBy, page }: ProposalQuery,
): Promise<{ proposals: readonly ProposalView[]; count: PageCount; now: Instant }> {
  const now = await readingTime();
  const context = { db, networkId, caller, now };
  const filter = { vaultId, type, createdBy, status: status && (await statusFilterAt(db, vaultId, status, now)) };
  const found = await listViewedProposals(db, filter, proposalReader(context), page);
  if (!found) throw new ServiceError('VAULT_NOT_FOUND');
  return { proposals: await viewProposals(context, found.proposals), count: found.count, now };
}

/** A proposal at `now`, and the voting position of the caller's wallet in it. Throws PROPOSAL_NOT_FOUND. */
export async function readProposal(
  { db, networkId, readingTime }: Context,
  caller: Caller,
  proposalId: string,
): Promise<{ proposal: ProposalView; own: VotingPosition | null; now: Instant }> {
  const now = await readingTime();
  const proposal = await readProposalView({ db, networkId, caller, now }, proposalId);
  return { proposal, own: votingPosition(proposal), now };
}

function votingPosition({ own, vault: { terms } }: ProposalView): VotingPosition | null {
  if (own === null) return null;
  const { wallet, countedPower: power, vote } = own;
  return { wallet, power, vote: vote && { ...vote, decimals: terms.ftDecimals } };
}

/** Finds the proposals whose visible status at `now` is `status`, although no worker may have stored it yet. */
async function statusFilterAt(db: Db, vaultId: string, status: ProposalStatus, now: Instant): Promise<StatusFilter> {
  const overdue = await overdueProposals(db, vaultId, now);
  const summaries = await voteSummaries(db, overdue);
  const statusOf = (proposal: (typeof overdue)[number]) =>
    phaseAt(proposalSnapshot(proposal, summaries.get(proposal.id)), now).status;
  const shown = overdue.filter((proposal) => statusOf(proposal) === status);
  return { status, overdueIds: overdue.map(({ id }) => id), shownIds: shown.map(({ id }) => id) };
}
