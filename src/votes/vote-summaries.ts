import { findConflictingProposal } from '../proposals/rules/affected-assets.ts';
import type { ProposalSnapshot } from '../proposals/rules/phase-view.ts';
import { baseUnits } from '../platform/units/money.ts';

import { type Tally } from './rules/tally.ts';
import { type VoteCount, voteOutcome, type VoteOutcome } from './rules/outcome.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { type FoundRow, UnreadableRow } from '../platform/database/found-row.ts';
import { circulatingSupplies } from '../staking/queries/circulating-supply.ts';
import { passedProposals, untalliedBefore } from '../proposals/queries/vault-proposals.ts';
import type { Proposal } from '../proposals/queries/proposals.ts';
import { proposalVotingPowers } from './queries/voting-powers.ts';
import { liveTallies } from '../proposals/queries/proposal-votes.ts';

/** The votes on a proposal, and what their outcome is computed from. */
export interface VoteSummary extends VoteCount {
  readonly tally: Tally;
  /** The final outcome or, while voting is open, the outcome if it ended now. */
  readonly outcome: VoteOutcome | 'asset_in_another_proposal';
}

const none = baseUnits(0n);
const noVotes: Tally = { approve: none, reject: none, totalVoted: none, uniqueVoters: 0 };

/** By id of the proposal. One whose outcome depends on a proposal that cannot be read cannot be read, either. */
type FoundSummaries = ReadonlyMap<string, FoundRow<VoteSummary>>;

/** The vote summary of each proposal: as closed, else as it is now. */
export async function voteSummaries(db: Db | Transaction, proposals: readonly Proposal[]): Promise<FoundSummaries> {
  return summarize(db, proposals, await countsOf(db, proposals));
}

/** The summaries from votes that were counted before; `hasRivals` may rule out that another proposal holds an asset of one. */
export async function summarize(
  db: Db | Transaction,
  proposals: readonly Proposal[],
  counts: ReadonlyMap<string, Count>,
  hasRivals: (proposal: Proposal) => boolean = () => true,
): Promise<FoundSummaries> {
  const precedence = createPrecedence(db, counts);
  const summaries = proposals.map(async (one) => {
    const summary = requireEntry(counts, one);
    const outcome = voteOutcome(summary);
    const isPreceded = outcome === 'passed' && hasRivals(one) && (await precedence.isPreceded(one));
    return { ...summary, outcome: isPreceded ? ('asset_in_another_proposal' as const) : outcome };
  });
  const found = await Promise.allSettled(summaries);
  return new Map(proposals.map(({ id }, place) => [id, foundSummary(id, found[place])]));
}

/** Throws for another reason than UnreadableRow. */
function foundSummary(id: string, found: PromiseSettledResult<VoteSummary> | undefined): FoundRow<VoteSummary> {
  if (found?.status === 'fulfilled') return { id, read: () => found.value };
  const reason: unknown = found?.reason;
  if (!(reason instanceof UnreadableRow)) throw reason;
  return {
    id,
    read() {
      throw reason;
    },
  };
}

/** Throws UnreadableRow. */
export async function voteSummary(db: Db | Transaction, proposal: Proposal): Promise<VoteSummary> {
  return requireEntry(await voteSummaries(db, [proposal]), proposal).read();
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
