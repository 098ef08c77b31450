import { baseUnits } from '../domain/money.ts';
import type { ProposalFacts } from '../domain/proposal-phases.ts';
import { type Ballot, outcomeOf, type Tally } from '../domain/tally.ts';
import type { Db, Transaction } from './database.ts';
import type { Proposal } from './proposals.ts';
import { countedPower, liveTallies } from './votes.ts';

/** What the outcome of a vote follows from, with how many voted. */
export interface CountedBallot extends Ballot {
  readonly tally: Tally;
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
    proposals.map(async ({ id, vaultId, phases, finalTally, thresholds }) => {
      const base = () => (phases === null ? none : countedPower(db, { vaultId, phases }));
      const tally = finalTally ?? tallies.get(id) ?? noVotes;
      return [id, { tally, quorumBase: finalTally?.quorumBase ?? (await base()), thresholds }] as const;
    }),
  );
  return new Map(ballots);
}

export async function ballotOf(db: Db | Transaction, proposal: Proposal): Promise<CountedBallot> {
  const ballot = (await ballotsOf(db, [proposal])).get(proposal.id);
  if (!ballot) throw new Error(`proposal ${proposal.id} has no ballot`);
  return ballot;
}

/** What a proposal's shown state and open actions follow from. Its ballot decides nothing before voting ends. */
export function factsOfProposal(proposal: Proposal, ballot: Ballot | undefined): ProposalFacts {
  const { status, failureReason, endedAt, draftExpiresAt, phases, executionSent } = proposal;
  const standing = ballot === undefined ? 'quorum_not_reached' : outcomeOf(ballot);
  return { status, failureReason, endedAt, draftExpiresAt, phases, standing, executionSent };
}
