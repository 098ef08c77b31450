import type { BaseUnits, BasisPoints } from '../units/money.ts';
import { reachesShare } from '../units/percentage.ts';
import type { Tally } from './tally.ts';

/** The outcome of a closed vote; every outcome but `passed` is a failure reason (design D23). */
export type VoteOutcome = 'passed' | 'quorum_not_reached' | 'rejected' | 'tied';

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
