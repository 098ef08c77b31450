import type { Instant } from '../../platform/units/time.ts';
import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace } from '../../platform/units/money.ts';

/** Lovelace that were invested under one bound. */
export interface BoundedInvestment {
  readonly lovelace: Lovelace;
  /** The investment counts only while the FDV is at most this (design D41); null and undefined set no bound. */
  readonly maxFdv?: Lovelace | null;
}

/** An investment with what decides which of those with equal bounds come first. */
export interface RankedInvestment extends BoundedInvestment {
  readonly id: string;
  readonly at: Instant;
}

/** Which investments count, by their bounds on the FDV. */
export interface FdvEvaluation {
  /** Of those that count, together. */
  readonly invested: Lovelace;
  readonly fdv: Lovelace;
  /** Ids of those that would pay a higher FDV than they allow. */
  readonly above: ReadonlySet<string>;
}

/** Fully diluted valuation: what the whole supply costs at the price that the investors pay together. */
export function fdvOf(invested: bigint, ftPercentage: BasisPoints): Lovelace {
  return lovelace((invested * FULL_SHARE) / ftPercentage);
}

/**
 * Investments count from the highest bound down, those without a bound first, each if the FDV of all that count with it is at most its
 * bound. One that goes back has no part in what decides on the others: whoever names a bound that their own money breaks, or the bound
 * of somebody else, sends nobody away and pays for nobody's place. Of equal bounds the smaller amount comes first, then the earlier one.
 */
export function evaluateFdv(investments: readonly RankedInvestment[], ftPercentage: BasisPoints): FdvEvaluation {
  const unbounded = investments.filter(({ maxFdv = null }) => maxFdv === null);
  let invested = unbounded.reduce((sum, investment) => sum + investment.lovelace, 0n);
  const above = new Set<string>();
  for (const { id, lovelace: amount, maxFdv } of investments.filter(isBounded).sort(byBound)) {
    if (fdvOf(invested + amount, ftPercentage) > maxFdv) above.add(id);
    else invested += amount;
  }
  return { invested: lovelace(invested), fdv: fdvOf(invested, ftPercentage), above };
}

type Bounded = RankedInvestment & { readonly maxFdv: Lovelace };

function isBounded(investment: RankedInvestment): investment is Bounded {
  return investment.maxFdv !== undefined && investment.maxFdv !== null;
}

function byBound(one: Bounded, other: Bounded): number {
  if (one.maxFdv !== other.maxFdv) return one.maxFdv > other.maxFdv ? -1 : 1;
  if (one.lovelace !== other.lovelace) return one.lovelace < other.lovelace ? -1 : 1;
  return one.at - other.at || (one.id < other.id ? -1 : 1);
}
