import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';

/** The amount of a stake that a live vote of an unfinished proposal uses, until that proposal's execution phase ends. */
export interface StakeUsage {
  readonly amount: BaseUnits;
  readonly executionEndsAt: Instant;
}

/** The largest amount in any one open vote, in base units: several proposals can use a stake at once (design D24). */
export function usedPower(uses: readonly StakeUsage[]): BaseUnits {
  return baseUnits(uses.reduce((most, { amount }) => (amount > most ? amount : most), 0n));
}

/** The latest end of the execution phases that use a stake; null while it is unused. */
export function lockedUntil(uses: readonly StakeUsage[]): Instant | null {
  return uses.reduce<Instant | null>(
    (latest, { executionEndsAt }) => (latest === null || executionEndsAt > latest ? executionEndsAt : latest),
    null,
  );
}
