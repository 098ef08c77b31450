import { isStale } from '../asset/valuation.ts';
import type { Instant } from '../units/instant.ts';
import { type BasisPoints, FULL_SHARE, type Lovelace } from '../units/money.ts';

/** Valuations in a row that are too low before a vault ends (design D30). */
export const LOW_VALUATIONS_TO_END = 3;

/** An asset that a settled vault holds. */
export interface HeldValue {
  /** What the settlement counted; null for one that was bought since. */
  readonly settled: Lovelace | null;
  readonly current: Lovelace;
  /** Null for a price that an admin has set: it has no market, so it does not grow stale. */
  readonly pricedAt: Instant | null;
}

/** The valuations in a row that were too low, and the newest price that was counted. */
export interface LowValuations {
  readonly count: number;
  readonly countedAt: Instant | null;
}

/**
 * Counts a valuation: one that is lower by `deviation` than what the settlement counted for the same assets, or one that is not, which
 * begins anew. A price that is older than `maxAge` seconds, and prices that were counted before, count neither way.
 */
export function countValuation(
  held: readonly HeldValue[],
  deviation: BasisPoints,
  counted: LowValuations,
  { now, maxAge }: { readonly now: Instant; readonly maxAge: number },
): LowValuations {
  const compared = held.flatMap(({ settled, ...asset }) => (settled === null ? [] : [{ ...asset, settled }]));
  const times = compared.flatMap(({ pricedAt }) => pricedAt ?? []).sort((one, other) => one - other);
  const [oldest, newest = null] = [times[0], times.at(-1)];
  if (deviation === 0n || oldest === undefined) return counted;
  if (isStale({ asOf: oldest }, now, maxAge) || (counted.countedAt !== null && oldest <= counted.countedAt))
    return counted;
  const sum = (of: 'settled' | 'current') => compared.reduce((total, asset) => total + asset[of], 0n);
  const isLow = (sum('settled') - sum('current')) * FULL_SHARE >= deviation * sum('settled') && sum('settled') > 0n;
  return { count: isLow ? counted.count + 1 : 0, countedAt: newest };
}
