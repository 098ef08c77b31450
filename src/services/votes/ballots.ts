import { findConflictingProposal } from '../../domain/proposal/affected-assets.ts';
import type { ProposalSnapshot } from '../../domain/proposal/phase-view.ts';
import { baseUnits } from '../../domain/units/money.ts';

import { type VoteCount, voteOutcome, type Tally, type VoteOutcome } from '../../domain/vote/tally.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { passedProposals, untalliedBefore } from '../../store/vault-proposals.ts';
import type { Proposal } from '../../store/proposals.ts';
import { proposalVotingPowers } from '../../store/voting-powers.ts';
import { liveTallies } from '../../store/proposal-votes.ts';

/** What the outcome of a vote follows from, with how many voted. */
export interface VoteSummary extends VoteCount {
  readonly tally: Tally;
  /** What the vote comes to, or would come to as it stands. It decides nothing before voting ends. */
  readonly outcome: VoteOutcome | 'asset_in_another_proposal';
}

const none = baseUnits(0n);
const noVotes: Tally = { approve: none, reject: none, totalVoted: none, uniqueVoters: 0 };

/** The ballot of each proposal by its id: as it was closed, else as it stands now. */
export async function voteSummaries(
  db: Db | Transaction,
  proposals: readonly Proposal[],
): Promise<ReadonlyMap<string, VoteSummary>> {
  const counts = await countsOf(db, proposals);
  const judge = createJudge(db, counts);
  const ballots = proposals.map(async (one) => {
    const ballot = found(counts, one);
    const outcome = voteOutcome(ballot);
    const isPreceded = outcome === 'passed' && (await judge.isPreceded(one));
    return [one.id, { ...ballot, outcome: isPreceded ? 'asset_in_another_proposal' : outcome }] as const;
  });
  return new Map(await Promise.all(ballots));
}

export async function voteSummary(db: Db | Transaction, proposal: Proposal): Promise<VoteSummary> {
  return found(await voteSummaries(db, [proposal]), proposal);
}

/** What a proposal's shown state and open actions follow from. */
export function proposalSnapshot(proposal: Proposal, ballot: VoteSummary | undefined): ProposalSnapshot {
  const { status, failureReason, endedAt, draftExpiresAt, phases, executionSent } = proposal;
  const standing = ballot?.outcome ?? 'quorum_not_reached';
  return { status, failureReason, endedAt, draftExpiresAt, phases, outcome: standing, executionSent };
}

type Count = VoteCount & Pick<VoteSummary, 'tally'>;

async function countsOf(db: Db | Transaction, proposals: readonly Proposal[]): Promise<Map<string, Count>> {
  const open = proposals.filter(({ finalTally }) => finalTally === null);
  const tallies = await liveTallies(
    db,
    open.map(({ id }) => id),
  );
  const bases = await proposalVotingPowers(db, open);
  const counts = proposals.map(({ id, finalTally, thresholds }) => {
    const tally = finalTally ?? tallies.get(id) ?? noVotes;
    const quorumBase = finalTally?.quorumBase ?? bases.get(id) ?? none;
    return [id, { tally, quorumBase, thresholds }] as const;
  });
  return new Map(counts);
}

/** Judges each uncounted proposal once, however many others wait for it. */
function createJudge(db: Db | Transaction, counts: ReadonlyMap<string, Count>) {
  const judged = new Map<string, Promise<boolean>>();

  /** Whether another proposal that is past voting when the vote on this one ends holds one of its assets (design D23). */
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
    const known = judged.get(rival.id) ?? judge(rival);
    judged.set(rival.id, known);
    return known;
  }

  async function judge(rival: Proposal): Promise<boolean> {
    const count = counts.get(rival.id) ?? found(await countsOf(db, [rival]), rival);
    return voteOutcome(count) === 'passed' && !(await isPreceded(rival));
  }

  return { isPreceded };
}

function found<Entry>(entries: ReadonlyMap<string, Entry>, { id }: Proposal): Entry {
  const entry = entries.get(id);
  if (!entry) throw new Error(`proposal ${id} has no ballot`);
  return entry;
}
