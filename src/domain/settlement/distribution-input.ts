import type { Instant } from '../units/instant.ts';
import type { BasisPoints, BaseUnits, Lovelace } from '../units/money.ts';

/** A contributed asset and what it is valued at. */
export interface Contribution {
  readonly id: string;
  readonly wallet: string;
  readonly value: Lovelace;
  readonly at: Instant;
}

/** An investment. */
export interface Investment {
  readonly id: string;
  readonly wallet: string;
  readonly lovelace: Lovelace;
  readonly at: Instant;
}

/** Everything a settlement depends on; percentages are those of the vault's terms. */
export interface DistributionInput {
  readonly supply: BaseUnits;
  readonly ftPercentage: BasisPoints;
  readonly lpPercentage: BasisPoints;
  readonly reserve: BasisPoints;
  readonly contributors: readonly Contribution[];
  readonly investors: readonly Investment[];
  /** A smaller ADA side of the liquidity share fails the vault. */
  readonly lpMinimum?: Lovelace;
}
