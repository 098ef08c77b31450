import type { Lovelace } from '../units/money.ts';

/** ADA as a metric shows them. */
export function adaOf(lovelace: Lovelace): number {
  return Number(lovelace) / 1_000_000;
}
