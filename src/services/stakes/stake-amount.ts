import { fieldError } from '../../domain/errors.ts';
import type { BaseUnits } from '../../domain/units/money.ts';
import { parseTokenAmount } from '../../domain/units/token-amount.ts';
import type { Vault } from '../../store/vaults.ts';

/** Whole tokens of a vault as base units: more than 0 and at most its supply. Throws INVALID_QUANTITY. */
export function parseStakeAmount(
  amount: number | string,
  { terms: { ftDecimals, ftSupply } }: Pick<Vault, 'terms'>,
): BaseUnits {
  const units = parseTokenAmount(amount, ftDecimals);
  if (units !== undefined && units > 0n && units <= ftSupply) return units;
  const message = `A stake is more than 0 and no more than the token supply, with at most ${ftDecimals} decimals`;
  throw fieldError('INVALID_QUANTITY', 'amount', message);
}
