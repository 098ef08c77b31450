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
