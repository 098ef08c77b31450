import type { Caller } from '../../domain/identity/caller.ts';
import { phaseAt } from '../../domain/proposal/phase-view.ts';
import type { ProposalStatus, ProposalType } from '../../domain/proposal/proposal.ts';
import type { Instant } from '../../domain/units/instant.ts';
import type { Db } from '../../store/database.ts';
import type { Page, PageCount } from '../../store/page.ts';
import { listProposals, type StatusFilter, overdueProposals } from '../../store/vault-proposals.ts';

import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';

import { readVotingPosition, type VotingPosition } from '../votes/read-votes.ts';
import { proposalSnapshot, voteSummaries } from '../votes/vote-summaries.ts';
import { requireReadableProposal } from './readable-proposal.ts';
import { type ProposalView, viewProposal, viewProposals } from './view-proposals.ts';

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
  context: Context,
  caller: Caller,
  { vaultId, status, type, createdBy, page }: ProposalQuery,
): Promise<{ proposals: readonly ProposalView[]; count: PageCount; now: Instant }> {
  const { db, networkId } = context;
  const vault = await requireReadableVault(context, caller, vaultId);
  const now = await context.readingTime();
  const filter = { vaultId, type, createdBy, status: status && (await statusFilterAt(db, vaultId, status, now)) };
  const { proposals, count } = await listProposals(db, filter, page);
  return { proposals: await viewProposals({ db, networkId, caller, now }, vault, proposals), count, now };
}

/** A proposal at `now`, and the voting position of the caller's wallet in it. Throws PROPOSAL_NOT_FOUND. */
export async function readProposal(
  context: Context,
  caller: Caller,
  proposalId: string,
): Promise<{ proposal: ProposalView; own: VotingPosition | null; now: Instant }> {
  const { db, networkId } = context;
  const found = await requireReadableProposal(context, caller, proposalId);
  const now = await context.readingTime();
  const [proposal, own] = await Promise.all([
    viewProposal({ db, networkId, caller, now }, found),
    caller.wallet === null ? null : readVotingPosition(db, found, caller.wallet),
  ]);
  return { proposal, own, now };
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
