import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
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
