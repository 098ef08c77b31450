import { fieldError, ServiceError } from '../../platform/errors.ts';
import type { Lovelace } from '../../platform/units/money.ts';
import { type ProposalEffect, termsDiffer } from './effects.ts';

/**
 * Accepts a requested effect that equals the approved one. Throws ACTION_DIFFERS_FROM_APPROVED with the fields that differ.
 * Where the vote left the price open, throws INVALID_REQUEST when the request names none. Throws PRICE_BELOW_VALUATION when a sale
 * brings less than `valuation` and PRICE_ABOVE_VALUATION when a purchase costs more. `valuation` is the last valuation of
 * the assets in lovelace; null when there is none, or when the price is compared with none because the vote fixed it.
 */
export function requireApproved(approved: ProposalEffect, requested: ProposalEffect, valuation: Lovelace | null): void {
  const errors = termsDiffer(approved, requested);
  if (errors.length > 0) throw new ServiceError('ACTION_DIFFERS_FROM_APPROVED', { errors });
  if (!('price' in approved.terms) || !('price' in requested.terms)) return;
  const { price } = requested.terms;
  if (approved.terms.price !== null && valuation === null) return;
  requireFairPrice(requested.type, price, valuation);
}

function requireFairPrice(type: ProposalEffect['type'], price: Lovelace | null, valuation: Lovelace | null): void {
  if (price === null) {
    const message = `Required, because the vote left this term open. The valuation is ${valuation ?? 'not known'}.`;
    throw fieldError('INVALID_REQUEST', 'action.details.price', message);
  }
  if (valuation !== null && isFair(type, price, valuation)) return;
  const refusal = type === 'ASSET_SALE' ? 'PRICE_BELOW_VALUATION' : 'PRICE_ABOVE_VALUATION';
  throw new ServiceError(refusal, { valuation: textOrNull(valuation), price: textOrNull(price) });
}

function isFair(type: ProposalEffect['type'], price: Lovelace, valuation: Lovelace): boolean {
  return type === 'ASSET_SALE' ? price >= valuation : price <= valuation;
}

function textOrNull(amount: Lovelace | null): string | null {
  return amount === null ? null : String(amount);
}
