import { fieldError } from '../../platform/errors/errors.ts';
import type { BaseUnits } from '../../platform/units/money.ts';
import { parseTokenAmount } from '../../platform/units/token-amount.ts';
import type { VaultTerms } from './vault.ts';

/** Whole tokens of a vault as base units: more than 0 and at most its supply. Throws INVALID_QUANTITY at `amount`. */
export function parseFtAmount(
  amount: number | string,
  { ftDecimals, ftSupply }: Pick<VaultTerms, 'ftDecimals' | 'ftSupply'>,
): BaseUnits {
  const units = parseTokenAmount(amount, ftDecimals);
  if (units !== undefined && units > 0n && units <= ftSupply) return units;
  const message = `More than 0 and no more than the token supply, with at most ${ftDecimals} decimals`;
  throw fieldError('INVALID_QUANTITY', 'amount', message);
}
