import { type BasisPoints, basisPoints, FULL_SHARE } from './money.ts';

/** Reads a percentage with at most two decimals, as number or decimal text, exactly; undefined for anything else. */
export function parsePercentage(value: number | string): BasisPoints | undefined {
  const parts = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(String(value));
  if (!parts?.[1]) return undefined;
  return basisPoints(BigInt(parts[1]) * 100n + BigInt((parts[2] ?? '').padEnd(2, '0')));
}

/** Percentage text with two decimals. */
export function printPercentage(points: BasisPoints): string {
  return `${points / 100n}.${String(points % 100n).padStart(2, '0')}`;
}

/** The percentage as a JSON number, as in the resources of the spec. */
export function percentageNumber(points: BasisPoints): number {
  return Number(printPercentage(points));
}

/** Whether `part` is at least `share` of `whole`: part·10,000 ≥ share·whole, computed without rounding. */
export function reachesShare(part: bigint, share: BasisPoints, whole: bigint): boolean {
  return part * FULL_SHARE >= share * whole;
}
