/** Amounts are integers; the brand keeps lovelace, token units and percentages apart, so that they never mix. */
export type Lovelace = bigint & { readonly __unit: 'lovelace' };
/** Units of a native asset or fractional token at its smallest decimal place. */
export type BaseUnits = bigint & { readonly __unit: 'base-units' };
/** Hundredths of a percent: 10_000 is 100 %. */
export type BasisPoints = bigint & { readonly __unit: 'basis-points' };

export const FULL_SHARE = 10_000n as BasisPoints;

/** An amount of lovelace; throws RangeError below zero. */
export function lovelace(value: bigint): Lovelace {
  return natural(value) as Lovelace;
}

/** An amount of base units; throws RangeError below zero. */
export function baseUnits(value: bigint): BaseUnits {
  return natural(value) as BaseUnits;
}

/** A percentage in basis points; throws RangeError below zero. */
export function basisPoints(value: bigint): BasisPoints {
  return natural(value) as BasisPoints;
}

function natural(value: bigint): bigint {
  if (value < 0n) throw new RangeError(`an amount cannot be negative: ${value}`);
  return value;
}

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

/**
 * Converts an amount of whole tokens to base units, exactly. Undefined when it is not an amount, has more decimals than the token, or is
 * a JSON number that may have lost digits (such amounts are sent as text; design D10).
 */
export function parseTokenAmount(value: number | string, decimals: number): BaseUnits | undefined {
  if (typeof value === 'number' && !isExact(value)) return undefined;
  const parts = /^(\d{1,30})(?:\.(\d{1,9}))?$/.exec(String(value));
  const fraction = parts?.[2] ?? '';
  if (!parts?.[1] || fraction.length > decimals) return undefined;
  return baseUnits(BigInt(parts[1] + fraction.padEnd(decimals, '0')));
}

/** Whole tokens as decimal text without trailing zeros. */
export function printTokenAmount(units: BaseUnits, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, split) : `${digits.slice(0, split)}.${fraction}`;
}

/** A double holds every decimal of up to 15 digits exactly; beyond that only safe integers. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || String(value).replace('.', '').length <= 15;
}
