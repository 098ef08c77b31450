import { type BaseUnits, type Lovelace, lovelace } from '../../platform/units/money.ts';

/** What a vault that ends shares, and the tokens that share it (design D31). */
export interface Pot {
  readonly lovelace: Lovelace;
  /** Fractional tokens that holders have, in base units. */
  readonly circulating: BaseUnits;
}

/**
 * The lovelace that `amount` base units bring, rounded down: what is left over stays with those who have not claimed yet, so no
 * claim makes the share of another smaller. Throws RangeError when more is returned than circulates.
 */
export function payoutOf(pot: Pot, amount: BaseUnits): Lovelace {
  if (amount > pot.circulating) throw new RangeError(`${amount} tokens are returned of ${pot.circulating}`);
  return lovelace(amount === 0n ? 0n : (pot.lovelace * amount) / pot.circulating);
}
