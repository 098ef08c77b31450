import type { Instant } from '../units/instant.ts';
import { type BasisPoints, type Lovelace } from '../units/money.ts';

/** Valuations in a row that are too low before a vault ends (design D30). */
export const LOW_VALUATIONS_TO_END = 3;
/** A price older than that says nothing about now (design D14). */
const FRESH_MS = 24 * 3600 * 1000;
const ALL = 10_000n;

/** An asset that a settled vault holds. */
export interface HeldValue {
  /** What the settlement counted; null for one that was bought since. */
  readonly settled: Lovelace | null;
  readonly current: Lovelace;
  readonly pricedAt: Instant;
}

/** The valuations in a row that were too low, and the newest price that was counted. */
export interface LowValuations {
  readonly count: number;
  readonly countedAt: Instant | null;
}

/**
 * Counts a valuation: one that is lower by `deviation` than what the settlement counted for the same assets, or one that is not, which
 * begins anew. A stale price, and prices that were counted before, count neither way.
 */
export function countValuation(
  held: readonly HeldValue[],
  deviation: BasisPoints,
  counted: LowValuations,
  now: Instant,
): LowValuations {
  const compared = held.flatMap(({ settled, ...asset }) => (settled === null ? [] : [{ ...asset, settled }]));
  if (deviation === 0n || compared.length === 0) return counted;
  const oldest = compared.reduce((first, { pricedAt }) => (pricedAt < first ? pricedAt : first), now);
  if (now - oldest > FRESH_MS || (counted.countedAt !== null && oldest <= counted.countedAt)) return counted;
  const newest = compared.reduce((last, { pricedAt }) => (pricedAt > last ? pricedAt : last), oldest);
  const sum = (of: 'settled' | 'current') => compared.reduce((total, asset) => total + asset[of], 0n);
  const isLow = (sum('settled') - sum('current')) * ALL >= deviation * sum('settled') && sum('settled') > 0n;
  return { count: isLow ? counted.count + 1 : 0, countedAt: newest };
}
