import { rangeText } from '../../../assets/rules/asset-params.ts';
import { isReferenceToken } from '../../../assets/rules/asset-label.ts';
import { acceptedType, isQuantityOf } from '../../../types/rules/asset-type.ts';
import { fieldError, ServiceError } from '../../../platform/errors/errors.ts';
import type { BoughtAsset } from '../execution.ts';
import { requireApproved } from '../../../proposals/rules/approval.ts';
import type { ProposalEffect } from '../../../proposals/rules/effect.ts';
import { acceptsPolicy } from '../../../vaults/rules/access.ts';
import type { EffectRequest, EffectRules, EvaluatedRequest, ExecutingVault } from './effect-rules.ts';
import { requirePrice } from './price.ts';

type Purchase = Extract<ProposalEffect, { type: 'BUY' }>;

/** The vault buys an asset from a seller. */
export const buyRules: EffectRules<Purchase> = {
  mayNeedOperator: false,
  partner: sellerOf,

  plan(request) {
    const { approved, requested, valuation } = request;
    const sellerAddress = sellerOf(request);
    const resolved =
      requested.type === 'BUY' ? { ...requested, terms: { ...requested.terms, sellerAddress } } : requested;
    requireApproved(approved, resolved, valuation);
    requireAccepted(request);
    return { ...approved, terms: { ...approved.terms, price: requirePrice(resolved), sellerAddress } };
  },
};

/** The seller that the action or the vote names, else the executor (design D27). */
function sellerOf({ approved, requested, executor }: EffectRequest<Purchase>): string {
  const named = requested.type === 'BUY' ? requested.terms.sellerAddress : null;
  return named ?? approved.terms.sellerAddress ?? executor;
}

/**
 * Throws ASSET_IS_VAULT_TOKEN, because the value of a vault's tokens would depend on itself, and ASSET_IS_REFERENCE_TOKEN, because a
 * vault values what it buys by the market.
 */
export function requireBuyable({ terms }: Purchase, vault: Pick<ExecutingVault, 'policyId' | 'ftUnit'>): void {
  const ownPolicies = [vault.policyId, vault.ftUnit?.slice(0, terms.policyId.length)];
  if (ownPolicies.includes(terms.policyId)) throw new ServiceError('ASSET_IS_VAULT_TOKEN');
  if (isReferenceToken({ assetName: terms.assetNameHex })) throw new ServiceError('ASSET_IS_REFERENCE_TOKEN');
}

/**
 * The rules for contributed assets apply to bought assets too. Throws ASSET_IS_VAULT_TOKEN, ASSET_IS_REFERENCE_TOKEN, ASSET_NOT_WHITELISTED,
 * ASSET_TYPE_NOT_ALLOWED, INVALID_QUANTITY and MAX_ASSETS_REACHED.
 */
function requireAccepted({ approved, vault, bought }: EvaluatedRequest<Purchase>): void {
  const { terms } = approved;
  requireBuyable(approved, vault);
  if (!acceptsPolicy(vault.terms, terms.policyId)) throw new ServiceError('ASSET_NOT_WHITELISTED');
  if (bought) requireAcceptedType(approved, vault, bought);
  if (vault.countedAssets >= vault.terms.maxAssets) throw new ServiceError('MAX_ASSETS_REACHED');
}

function requireAcceptedType({ terms }: Purchase, vault: ExecutingVault, { type, price }: BoughtAsset): void {
  const rules = acceptedType(vault.terms.assetTypes, type);
  if (!rules) throw new ServiceError('ASSET_TYPE_NOT_ALLOWED');
  if (type === 'NFT' || isQuantityOf(rules, terms.quantity, price.decimals)) return;
  const message = `The vote approved ${terms.quantity} base units; a CNT comes in ${rangeText(rules)}`;
  throw fieldError('INVALID_QUANTITY', 'action.details.quantity', message);
}
