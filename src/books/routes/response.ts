import { z } from 'zod';
import type { Balance } from '../rules/statement.ts';
import { AmountText } from '../../platform/http/fields.ts';

/** Lovelace and assets together, both exact. */
export const BalanceFields = {
  lovelace: AmountText.describe('Lovelace'),
  assets: z.array(
    z.object({
      unit: z.string().describe('Policy id and asset name, in hex'),
      quantity: AmountText.describe('Base units'),
    }),
  ),
};

export function presentBalance({ lovelace, assets }: Balance) {
  const held = [...assets].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    lovelace: lovelace.toString(),
    assets: held.map(([unit, quantity]) => ({ unit, quantity: quantity.toString() })),
  };
}
