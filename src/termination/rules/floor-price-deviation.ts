import { isStale } from '../../prices/rules.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BasisPoints, FULL_SHARE, type Lovelace } from '../../platform/units/money.ts';

/** Valuations in a row that are too low before a vault ends (design D30). */
export const LOW_VALUATIONS_TO_END = 3;

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
 * begins again. What an asset is worth whose price is older than `maxAge` seconds is unknown: a valuation counts as low if it is so although
 * none of these has fallen, and as not low if it is so although all of these are worth nothing. Otherwise it counts neither way, and nor do
 * prices that were counted before.
 */
export function countValuation(
  held: readonly HeldValue[],
  deviation: BasisPoints,
  counted: LowValuations,
  { now, maxAge }: { readonly now: Instant; readonly maxAge: number },
): LowValuations {
  const compared = held.flatMap(({ settled, ...asset }) => (settled === null ? [] : [{ ...asset, settled }]));
  const isUnknown = ({ pricedAt }: HeldValue) => pricedAt !== null && isStale({ asOf: pricedAt }, now, maxAge);
  const known = compared.filter((asset) => !isUnknown(asset));
  const times = known.flatMap(({ pricedAt }) => pricedAt ?? []).sort((one, other) => one - other);
  const [oldest, newest = null] = [times[0], times.at(-1)];
  if (deviation === 0n || oldest === undefined) return counted;
  if (counted.countedAt !== null && oldest <= counted.countedAt) return counted;
  const settled = sumOf(compared, (asset) => asset.settled);
  const isLow = (valueOfUnknown: (asset: Settled) => bigint) => {
    const current = sumOf(compared, (asset) => (isUnknown(asset) ? valueOfUnknown(asset) : asset.current));
    return settled > 0n && (settled - current) * FULL_SHARE >= deviation * settled;
  };
  if (isLow((asset) => (asset.current > asset.settled ? asset.current : asset.settled)))
    return { count: counted.count + 1, countedAt: newest };
  return isLow(() => 0n) ? counted : { count: 0, countedAt: newest };
}

type Settled = HeldValue & { readonly settled: Lovelace };

function sumOf(assets: readonly Settled[], valueOf: (asset: Settled) => bigint): bigint {
  return assets.reduce((total, asset) => total + valueOf(asset), 0n);
}
