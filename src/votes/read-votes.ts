import type { Caller } from '../access/rules.ts';
import type { ServiceContext } from '../context.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { UnreadableRow } from '../platform/database/decode-rows.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { ServiceError } from '../platform/errors.ts';
import { type BaseUnits, baseUnits } from '../platform/units/money.ts';
import { liveTallies } from '../proposals/queries/proposal-votes.ts';
import { findProposal, type Proposal } from '../proposals/queries/proposals.ts';
import { passedProposals, untalliedBefore } from '../proposals/queries/viewed-proposals.ts';
import { findConflictingProposal } from '../proposals/rules/affected-assets.ts';
import type { ProposalSnapshot } from '../proposals/rules/phases.ts';
import { circulatingSupplies, type ListedPowers, listPowers } from '../staking/queries/vault-stakes.ts';
import { findVault, type Vault } from '../vaults/queries/vaults.ts';
import { readerScope, isReadable } from '../vaults/require-vault.ts';
import { findListedVote, type ListedVote, listVotes, type VoteFilter, findVote, type Vote } from './queries/votes.ts';
import { proposalVotingPowers } from './queries/voting-powers.ts';
import { type Tally, type VoteCount, voteOutcome, type VoteOutcome } from './rules.ts';

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
  { db }: ServiceContext,
  caller: Caller,
  { page, ...filter }: VoteQuery,
): Promise<{ votes: readonly ListedVote[]; count: PageCount }> {
  const found = await listVotes(db, filter, readerScope(caller), page);
  if (!found) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return found;
}

/** One vote. Throws VOTE_NOT_FOUND, also where the caller may not read the vault (design D8). */
export async function readVote(db: Db, caller: Caller, voteId: string): Promise<ListedVote> {
  const found = await findListedVote(db, voteId, readerScope(caller));
  if (!found) throw new ServiceError('VOTE_NOT_FOUND');
  return found;
}

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
  db: Db,
  caller: Caller,
  voteId: string,
): Promise<{ vote: Vote; proposal: Proposal; vault: Vault }> {
  const found = await findVoteWithProposal(db, voteId);
  const vault = found && (await findVault(db, found.proposal.vaultId));
  if (!vault || !(await isReadable(db, caller, vault))) throw new ServiceError('VOTE_NOT_FOUND');
  return { ...found, vault };
}

/** The votes on a proposal, and what their outcome is computed from. */
export interface VoteSummary extends VoteCount {
  readonly tally: Tally;
  /** The final outcome or, while voting is open, the outcome if it ended now. */
  readonly outcome: VoteOutcome | 'asset_in_another_proposal';
}

const none = baseUnits(0n);
const noVotes: Tally = { approve: none, reject: none, totalVoted: none, uniqueVoters: 0 };

interface Summarizing {
  /** May rule out that another proposal holds an asset of one. */
  readonly hasRivals?: (proposal: Proposal) => boolean;
  /** Called for each proposal whose outcome depends on another one that cannot be read; it has no summary then. */
  readonly onBad?: (error: UnreadableRow, proposal: Proposal) => void;
}

/** The vote summary of each proposal, by its id: as closed, else as it is now. Throws UnreadableRow, unless there is an `onBad`. */
export async function voteSummaries(
  db: Db | Transaction,
  proposals: readonly Proposal[],
  options: Summarizing = {},
): Promise<ReadonlyMap<string, VoteSummary>> {
  return summarize(db, proposals, await countsOf(db, proposals), options);
}

/** The summaries from votes that were counted before. */
export async function summarize(
  db: Db | Transaction,
  proposals: readonly Proposal[],
  counts: ReadonlyMap<string, Count>,
  { hasRivals = () => true, onBad }: Summarizing,
): Promise<ReadonlyMap<string, VoteSummary>> {
  const precedence = createPrecedence(db, counts);
  const summaries = new Map<string, VoteSummary>();
  for (const one of proposals) {
    const summary = requireEntry(counts, one);
    const outcome = voteOutcome(summary);
    try {
      const isPreceded = outcome === 'passed' && hasRivals(one) && (await precedence.isPreceded(one));
      summaries.set(one.id, { ...summary, outcome: isPreceded ? 'asset_in_another_proposal' : outcome });
    } catch (error) {
      if (!onBad || !(error instanceof UnreadableRow)) throw error;
      onBad(error, one);
    }
  }
  return summaries;
}

export async function voteSummary(db: Db | Transaction, proposal: Proposal): Promise<VoteSummary> {
  return requireEntry(await voteSummaries(db, [proposal]), proposal);
}

/** The votes on a proposal, whatever their outcome. */
export async function countVotes(db: Db | Transaction, proposal: Proposal): Promise<Count> {
  return requireEntry(await countsOf(db, [proposal]), proposal);
}

/** The state from which phases and allowed actions of a proposal are derived. */
export function proposalSnapshot(proposal: Proposal, summary: VoteSummary | undefined): ProposalSnapshot {
  const { status, failureReason, endedAt, draftExpiresAt, phases, executionSent } = proposal;
  const outcome = summary?.outcome ?? 'quorum_not_reached';
  return { status, failureReason, endedAt, draftExpiresAt, phases, outcome, executionSent };
}

export type Count = VoteCount & Pick<VoteSummary, 'tally'>;

async function countsOf(db: Db | Transaction, proposals: readonly Proposal[]): Promise<Map<string, Count>> {
  const open = proposals.filter(({ finalTally }) => finalTally === null);
  const tallies = await liveTallies(
    db,
    open.map(({ id }) => id),
  );
  const bases = await proposalVotingPowers(db, open);
  const supplies = await circulatingSupplies(
    db,
    open.map(({ vaultId }) => vaultId),
  );
  const counts = proposals.map(({ id, vaultId, finalTally, thresholds }) => {
    const tally = finalTally ?? tallies.get(id) ?? noVotes;
    const quorumBase = finalTally?.quorumBase ?? bases.get(id) ?? none;
    const circulating = finalTally?.circulating ?? supplies.get(vaultId) ?? none;
    return [id, { tally, quorumBase, circulating, thresholds }] as const;
  });
  return new Map(counts);
}

/** Evaluates each uncounted proposal once, even if several others depend on it. */
function createPrecedence(db: Db | Transaction, counts: ReadonlyMap<string, Count>) {
  const results = new Map<string, Promise<boolean>>();

  /** Whether another proposal has passed before the vote on this one ends, and reserves one of its assets (design D23). */
  async function isPreceded(proposal: Proposal): Promise<boolean> {
    const { status, phases, effect } = proposal;
    if (status !== 'ACTIVE' || phases === null || effect.assetIds.length === 0) return false;
    const { endsAt } = phases.voting;
    if (findConflictingProposal(effect.assetIds, await passedProposals(db, proposal, endsAt))) return true;
    for (const rival of await untalliedBefore(db, proposal)) {
      const holds = rival.phases !== null && rival.phases.execution.endsAt > endsAt;
      const isOverSame = rival.effect.assetIds.some((id) => effect.assetIds.includes(id));
      if (holds && isOverSame && (await passes(rival))) return true;
    }
    return false;
  }

  function passes(rival: Proposal): Promise<boolean> {
    const known = results.get(rival.id) ?? evaluate(rival);
    results.set(rival.id, known);
    return known;
  }

  async function evaluate(rival: Proposal): Promise<boolean> {
    const count = counts.get(rival.id) ?? (await countVotes(db, rival));
    return voteOutcome(count) === 'passed' && !(await isPreceded(rival));
  }

  return { isPreceded };
}

function requireEntry<Entry>(entries: ReadonlyMap<string, Entry>, { id }: Proposal): Entry {
  const entry = entries.get(id);
  if (!entry) throw new Error(`proposal ${id} has no vote summary`);
  return entry;
}

interface VotingPowerQuery {
  readonly wallet: string;
  /** Restricts the result to this proposal and its vault. */
  readonly proposalId?: string | undefined;
  readonly page: Page<'createdAt'>;
}

/** The stakes and voting power of a wallet by vault, in the vaults that the caller may read. */
export async function readVotingPower(
  { db }: ServiceContext,
  caller: Caller,
  { wallet, proposalId, page }: VotingPowerQuery,
): Promise<ListedPowers> {
  const listed = await listPowers(db, { wallet, proposalId, readerScope: readerScope(caller) }, page);
  if (proposalId !== undefined && listed.inProposal === null) throw new ServiceError('PROPOSAL_NOT_FOUND');
  return listed;
}
