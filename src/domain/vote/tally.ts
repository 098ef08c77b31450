import { type BaseUnits, type BasisPoints, baseUnits, FULL_SHARE } from '../units/money.ts';
import { isLiveVote, type VoteDecision, type VoteStatus } from './vote.ts';

/** The live votes of a proposal, by power. */
export interface Tally {
  readonly approve: BaseUnits;
  readonly reject: BaseUnits;
  readonly totalVoted: BaseUnits;
  /** Wallets. */
  readonly uniqueVoters: number;
}

export interface WeightedVote {
  readonly wallet: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
  readonly status: VoteStatus;
}

/** What a closed vote came to; all but `passed` are reasons to fail (design D23). */
export type VoteOutcome = 'passed' | 'quorum_not_reached' | 'rejected' | 'tied';

/** Sums the votes that stand; revoked and replaced ones do not. */
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

/** Whether `part` is at least `share` of `whole`: part·10,000 ≥ share·whole, so nothing is rounded in anyone's favour. */
export function reachesShare(part: bigint, share: BasisPoints, whole: bigint): boolean {
  return part * FULL_SHARE >= share * whole;
}

export interface VoteCount {
  readonly tally: Pick<Tally, 'approve' | 'reject' | 'totalVoted'>;
  /** Power of every stake that could have voted (design D26). */
  readonly quorumBase: BaseUnits;
  readonly thresholds: { readonly vote: BasisPoints; readonly execution: BasisPoints };
}

/**
 * How a vote ends (design D22): the quorum is voted ≥ vote·base, and somebody voted; then approve = reject is a tie; it passes
 * when approve > reject and approve ≥ execution·voted. Every bound itself is enough.
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
