import { fieldError } from '../../../platform/errors/errors.ts';
import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
import type { Lovelace } from '../../../platform/units/money.ts';

/** The price of an effect. Throws INVALID_REQUEST when it has none. */
export function requirePrice({ terms }: ProposalEffect): Lovelace {
  if ('price' in terms && terms.price !== null) return terms.price;
  throw fieldError('INVALID_REQUEST', 'action.details.price', 'Name the price');
}
