import { holderOf } from '../domain/affected-assets.ts';
import { baseUnits } from '../domain/money.ts';
import type { ProposalFacts } from '../domain/proposal-phases.ts';
import { type Ballot, outcomeOf, type Tally } from '../domain/tally.ts';
import type { Db, Transaction } from './database.ts';
import { passedProposals, type Proposal } from './proposals.ts';
import { countedPower, liveTallies } from './votes.ts';

/** What the outcome of a vote follows from, with how many voted. */
export interface CountedBallot extends Ballot {
  readonly tally: Tally;
  /** Another proposal has passed over what this one, whose votes nobody has counted yet, is about. */
  readonly preceded: boolean;
}

const none = baseUnits(0n);
const noVotes: Tally = { approve: none, reject: none, totalVoted: none, uniqueVoters: 0 };

/** The ballot of each proposal by its id: as it was closed, else as it stands now. */
export async function ballotsOf(
  db: Db | Transaction,
  proposals: readonly Proposal[],
): Promise<ReadonlyMap<string, CountedBallot>> {
  const open = proposals.filter(({ finalTally }) => finalTally === null);
  const tallies = await liveTallies(
    db,
    open.map(({ id }) => id),
  );
  const ballots = await Promise.all(
    proposals.map(async (proposal) => {
      const { id, vaultId, phases, finalTally, thresholds } = proposal;
      const base = () => (phases === null ? none : countedPower(db, { vaultId, phases }));
      const tally = finalTally ?? tallies.get(id) ?? noVotes;
      const quorumBase = finalTally?.quorumBase ?? (await base());
      return [id, { tally, quorumBase, thresholds, preceded: await isPreceded(db, proposal) }] as const;
    }),
  );
  return new Map(ballots);
}

export async function ballotOf(db: Db | Transaction, proposal: Proposal): Promise<CountedBallot> {
  const ballot = (await ballotsOf(db, [proposal])).get(proposal.id);
  if (!ballot) throw new Error(`proposal ${proposal.id} has no ballot`);
  return ballot;
}

/** Whether another proposal that is past voting when the vote on this one ends holds one of its assets (design D23). */
export async function isPreceded(db: Db | Transaction, proposal: Proposal): Promise<boolean> {
  const { status, phases, effect } = proposal;
  if (status !== 'ACTIVE' || phases === null || effect.assetIds.length === 0) return false;
  return holderOf(effect.assetIds, await passedProposals(db, proposal, phases.voting.endsAt)) !== undefined;
}

/** What a proposal's shown state and open actions follow from. Its ballot decides nothing before voting ends. */
export function factsOfProposal(proposal: Proposal, ballot: CountedBallot | undefined): ProposalFacts {
  const { status, failureReason, endedAt, draftExpiresAt, phases, executionSent } = proposal;
  const outcome = ballot === undefined ? 'quorum_not_reached' : outcomeOf(ballot);
  const standing = outcome === 'passed' && ballot?.preceded === true ? 'asset_in_another_proposal' : outcome;
  return { status, failureReason, endedAt, draftExpiresAt, phases, standing, executionSent };
}
