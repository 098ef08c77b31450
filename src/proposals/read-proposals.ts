import type { Caller } from '../access/rules/caller.ts';
import { phaseAt } from './rules/phase-view.ts';
import type { ProposalStatus, ProposalType } from './rules/proposal.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { type StatusFilter, overdueProposals } from './queries/overdue-proposals.ts';
import type { Proposal } from './queries/proposals.ts';

import type { ServiceContext } from '../context.ts';

import type { VotingPosition } from '../votes/read-votes.ts';
import { proposalSnapshot, voteSummaries } from '../votes/vote-summaries.ts';
import { listViewedProposals } from './queries/viewed-proposals.ts';
import { ServiceError } from '../platform/errors/errors.ts';
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

/** A page of the proposals of a vault at `now`. Throws VAULT_NOT_FOUND, and UnreadableRow. */
export async function readProposals(
  reading: Context,
  caller: Caller,
  { vaultId, status, type, createdBy, page }: ProposalQuery,
): Promise<{ proposals: readonly ProposalView[]; count: PageCount; now: Instant }> {
  const { db, networkId } = reading;
  const now = await reading.readingTime();
  const context = { db, networkId, caller, now };
  const listBy = (filter: StatusFilter | undefined) =>
    listViewedProposals(db, { vaultId, type, createdBy, status: filter }, proposalReader(context), page);
  let found = await listBy(status && { status, overdueIds: [], shownIds: [] });
  if (status !== undefined && found?.isOneOverdue)
    found = await listBy(await statusFilterAt(reading, vaultId, status, now));
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
async function statusFilterAt(
  { db }: Pick<Context, 'db'>,
  vaultId: string,
  status: ProposalStatus,
  now: Instant,
): Promise<StatusFilter> {
  const overdue = await overdueProposals(db, vaultId, now);
  const summaries = await voteSummaries(db, overdue);
  const isShown = (proposal: Proposal) =>
    phaseAt(proposalSnapshot(proposal, summaries.get(proposal.id)), now).status === status;
  const idsOf = (some: readonly Proposal[]) => some.map(({ id }) => id);
  return { status, overdueIds: idsOf(overdue), shownIds: idsOf(overdue.filter(isShown)) };
}
