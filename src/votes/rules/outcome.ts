import { type BaseUnits, type BasisPoints, basisPoints } from '../../platform/units/money.ts';
import { reachesShare } from '../../platform/units/percentage.ts';
import type { Tally } from './tally.ts';

/** The outcome of a closed vote; every outcome but `passed` is a failure reason (design D23). */
export type VoteOutcome = 'passed' | 'quorum_not_reached' | 'rejected' | 'tied';

/** What the outcome of a vote is computed from. */
export interface VoteCount {
  readonly tally: Pick<Tally, 'approve' | 'reject' | 'totalVoted'>;
  /** Base units of all stakes that can vote (design D26). */
  readonly quorumBase: BaseUnits;
  /** Base units of all tokens that holders have; 0 for votes that were counted before there was a minimum turnout. */
  readonly circulating: BaseUnits;
  readonly thresholds: { readonly vote: BasisPoints; readonly execution: BasisPoints };
}

/**
 * 10 %, the smallest quorum of the specification: the part of the tokens in circulation that must vote, however few are staked.
 * Otherwise the first wallet to stake would decide alone.
 */
export const MIN_TURNOUT = basisPoints(1_000n);

/**
 * The outcome of a vote (design D22). The quorum requires at least one vote, voted ≥ vote threshold · quorum base and
 * voted ≥ 10 % of the tokens in circulation. Then
 * approve = reject is a tie, and the vote passes when approve > reject and approve ≥ execution threshold · voted.
 */
export function voteOutcome({
  tally: { approve, reject, totalVoted },
  quorumBase,
  circulating,
  thresholds,
}: VoteCount): VoteOutcome {
  const isQuorate = reachesShare(totalVoted, thresholds.vote, quorumBase);
  if (totalVoted === 0n || !isQuorate || !reachesShare(totalVoted, MIN_TURNOUT, circulating))
    return 'quorum_not_reached';
  if (approve === reject) return 'tied';
  return approve > reject && reachesShare(approve, thresholds.execution, totalVoted) ? 'passed' : 'rejected';
}
