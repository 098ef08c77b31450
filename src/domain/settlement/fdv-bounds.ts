import { type BasisPoints, FULL_SHARE, type Lovelace, lovelace } from '../units/money.ts';

/** Lovelace that were invested under one bound. */
export interface BoundedInvestment {
  readonly lovelace: Lovelace;
  /** The investment counts only while the FDV is at most this (design D41); null and undefined set no bound. */
  readonly maxFdv?: Lovelace | null;
}

/** Fully diluted valuation: what the whole supply costs at the price that the investors pay together. */
export function fdvOf(invested: bigint, ftPercentage: BasisPoints): Lovelace {
  return lovelace((invested * FULL_SHARE) / ftPercentage);
}

/**
 * The highest bound that the FDV breaks; null if it breaks none. Investments count from the highest bound down, those without a
 * bound first and equal bounds together, as long as the FDV of all that count is at most the bound: then the others go back. Each
 * more raises the FDV and lowers the bound, so the bounds below a broken one are broken too.
 */
export function highestBrokenBound(
  investments: readonly BoundedInvestment[],
  ftPercentage: BasisPoints,
): Lovelace | null {
  let invested = 0n;
  const byBound = new Map<bigint, bigint>();
  for (const { lovelace: amount, maxFdv } of investments) {
    if (maxFdv === undefined || maxFdv === null) invested += amount;
    else byBound.set(maxFdv, (byBound.get(maxFdv) ?? 0n) + amount);
  }
  for (const [bound, amount] of [...byBound].sort(([one], [other]) => (one < other ? 1 : -1))) {
    invested += amount;
    if (fdvOf(invested, ftPercentage) > bound) return lovelace(bound);
  }
  return null;
}

/** Whether an investment counts where `broken` is the highest bound that the FDV breaks. */
export function isWithinFdv({ maxFdv }: Pick<BoundedInvestment, 'maxFdv'>, broken: Lovelace | null): boolean {
  return maxFdv === undefined || maxFdv === null || broken === null || maxFdv > broken;
}
