import type { Caller } from '../access/rules/caller.ts';
import { phaseAt } from './rules/phase-view.ts';
import type { ProposalStatus, ProposalType } from './rules/proposal.ts';
import type { Instant } from '../platform/units/instant.ts';
import { readEach } from '../platform/database/found-row.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { type StatusFilter, overdueProposals } from './queries/overdue-proposals.ts';

import type { ServiceContext } from '../context.ts';

import type { VotingPosition } from '../votes/read-votes.ts';
import { proposalSnapshot, voteSummaries } from '../votes/vote-summaries.ts';
import { listViewedProposals } from './queries/viewed-proposals.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { proposalReader } from './participation.ts';
import { type ProposalView, readProposalView, viewProposals } from './view-proposals.ts';

type Context = Pick<ServiceContext, 'db' | 'networkId' | 'readingTime' | 'onUnreadable'>;

interface ProposalQuery {
  readonly vaultId: string;
  readonly status: ProposalStatus | undefined;
  readonly type: ProposalType | undefined;
  readonly createdBy: string | undefined;
  readonly page: Page<'createdAt' | 'updatedAt' | 'type' | 'status'>;
}

/**
 * A page of the proposals of a vault at `now`, without those that cannot be read, and those whose outcome depends on one of these. Throws
 * VAULT_NOT_FOUND.
 */
export async function readProposals(
  reading: Context,
  caller: Caller,
  { vaultId, status, type, createdBy, page }: ProposalQuery,
): Promise<{ proposals: readonly ProposalView[]; count: PageCount; now: Instant }> {
  const { db, networkId, onUnreadable } = reading;
  const now = await reading.readingTime();
  const context = { db, networkId, caller, now };
  const listBy = (filter: StatusFilter | undefined) =>
    listViewedProposals(db, { vaultId, type, createdBy, status: filter }, proposalReader(context), page);
  let found = await listBy(status && { status, overdueIds: [], shownIds: [] });
  if (status !== undefined && found?.isOneOverdue)
    found = await listBy(await statusFilterAt(reading, vaultId, status, now));
  if (!found) throw new ServiceError('VAULT_NOT_FOUND');
  const views = await viewProposals(context, readEach(found.proposals, onUnreadable));
  return { proposals: readEach(views, onUnreadable), count: found.count, now };
}

/** A proposal at `now`, and the voting position of the caller's wallet in it. Throws PROPOSAL_NOT_FOUND. */
export async function readProposal(
  { db, networkId, readingTime }: Omit<Context, 'onUnreadable'>,
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
  { db, onUnreadable }: Pick<Context, 'db' | 'onUnreadable'>,
  vaultId: string,
  status: ProposalStatus,
  now: Instant,
): Promise<StatusFilter> {
  const overdue = readEach(await overdueProposals(db, vaultId, now), onUnreadable);
  const summaries = await voteSummaries(db, overdue);
  const shown = overdue.map((proposal) => {
    const { id } = proposal;
    const statusNow = () => phaseAt(proposalSnapshot(proposal, summaries.get(id)?.read()), now).status;
    return { id, read: () => ({ id, status: statusNow() }) };
  });
  const known = readEach(shown, onUnreadable);
  const idsOf = (some: typeof known) => some.map(({ id }) => id);
  return { status, overdueIds: idsOf(known), shownIds: idsOf(known.filter((one) => one.status === status)) };
}
