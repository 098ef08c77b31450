import { type BaseUnits, type BasisPoints, baseUnits, FULL_SHARE } from '../units/money.ts';
import { isLiveVote, type VoteDecision, type VoteStatus } from './vote.ts';

/** The sums of the live votes of a proposal, in base units. */
export interface Tally {
  readonly approve: BaseUnits;
  readonly reject: BaseUnits;
  readonly totalVoted: BaseUnits;
  /** Number of wallets with a live vote. */
  readonly uniqueVoters: number;
}

/** A vote with its weight in base units. */
export interface WeightedVote {
  readonly wallet: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
  readonly status: VoteStatus;
}

/** The outcome of a closed vote; every outcome but `passed` is a failure reason (design D23). */
export type VoteOutcome = 'passed' | 'quorum_not_reached' | 'rejected' | 'tied';

/** Sums live votes; revoked and replaced votes do not count. */
export function sumVotes(votes: Iterable<WeightedVote>): Tally {
  const power = { APPROVE: 0n, REJECT: 0n };
  const wallets = new Set<string>();
  for (const { wallet, decision, amount, status } of votes) {
    if (!isLiveVote(status)) continue;
    power[decision] += amount;
    wallets.add(wallet);
  }
  return {
    approve: baseUnits(power.APPROVE),
    reject: baseUnits(power.REJECT),
    totalVoted: baseUnits(power.APPROVE + power.REJECT),
    uniqueVoters: wallets.size,
  };
}

/** Whether `part` is at least `share` of `whole`: part·10,000 ≥ share·whole, computed without rounding. */
export function reachesShare(part: bigint, share: BasisPoints, whole: bigint): boolean {
  return part * FULL_SHARE >= share * whole;
}

/** What the outcome of a vote is computed from. */
export interface VoteCount {
  readonly tally: Pick<Tally, 'approve' | 'reject' | 'totalVoted'>;
  /** Base units of all stakes that can vote (design D26). */
  readonly quorumBase: BaseUnits;
  readonly thresholds: { readonly vote: BasisPoints; readonly execution: BasisPoints };
}

/**
 * The outcome of a vote (design D22). The quorum requires at least one vote and voted ≥ vote threshold · quorum base. Then
 * approve = reject is a tie, and the vote passes when approve > reject and approve ≥ execution threshold · voted.
 */
export function voteOutcome({
  tally: { approve, reject, totalVoted },
  quorumBase,
  thresholds,
}: VoteCount): VoteOutcome {
  if (totalVoted === 0n || !reachesShare(totalVoted, thresholds.vote, quorumBase)) return 'quorum_not_reached';
  if (approve === reject) return 'tied';
  return approve > reject && reachesShare(approve, thresholds.execution, totalVoted) ? 'passed' : 'rejected';
}
