import { type BasisPoints, basisPoints, FULL_SHARE, type Lovelace } from '../../platform/units/money.ts';
import { printPercentage } from '../../platform/units/percentage.ts';

/** How much `current` differs from `initial`, as signed percentage text with two decimals, cut towards 0 (design D39c). */
export function changeText(initial: Lovelace, current: Lovelace): string {
  if (initial === 0n) return '0.00%';
  const difference = current - initial;
  const size = ((difference < 0n ? -difference : difference) * FULL_SHARE) / initial;
  const sign = size === 0n ? '' : difference < 0n ? '-' : '+';
  return `${sign}${printPercentage(basisPoints(size))}%`;
}

/** A closed vote: the base units that voted, and those that could have. */
export interface Turnout {
  readonly voted: bigint;
  readonly eligible: bigint;
}

/** The mean share of the eligible power that voted, each closed vote counting the same; 0 without one (design D39c). */
export function averageQuorum(turnouts: readonly Turnout[]): BasisPoints {
  const shares = turnouts.map(({ voted, eligible }) => (eligible === 0n ? 0n : (voted * FULL_SHARE) / eligible));
  return basisPoints(shares.length === 0 ? 0n : shares.reduce((sum, share) => sum + share, 0n) / BigInt(shares.length));
}
