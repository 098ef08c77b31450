import { requireApproved } from '../../../proposals/rules/approval.ts';
import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
import type { EffectRequest, EffectRules } from './effect-rules.ts';
import { requireInCustody } from './in-custody.ts';
import { requirePrice } from './price.ts';

type Sale = Extract<ProposalEffect, { type: 'ASSET_SALE' }>;

/** The vault sells assets to a buyer, who pays their price. */
export const assetSaleRules: EffectRules<Sale> = {
  mayNeedOperator: false,
  partner: buyerOf,

  plan(request) {
    const { approved, requested, assets, valuation } = request;
    const buyerAddress = buyerOf(request);
    const resolved =
      requested.type === 'ASSET_SALE' ? { ...requested, terms: { ...requested.terms, buyerAddress } } : requested;
    requireApproved(approved, resolved, valuation);
    requireInCustody(assets);
    return { ...approved, terms: { price: requirePrice(resolved), buyerAddress } };
  },
};

/** The buyer that the action or the vote names, else the executor (design D27). */
function buyerOf({ approved, requested, executor }: EffectRequest<Sale>): string {
  const named = requested.type === 'ASSET_SALE' ? requested.terms.buyerAddress : null;
  return named ?? approved.terms.buyerAddress ?? executor;
}
