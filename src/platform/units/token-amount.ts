import { type BaseUnits, baseUnits } from './money.ts';

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
