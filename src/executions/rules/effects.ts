import { type AssetStatus, isReferenceToken } from '../../assets/rules/asset.ts';
import { rangeText } from '../../assets/rules/requested-asset.ts';
import type { BoughtAsset } from './execution.ts';
import { fieldError, ServiceError } from '../../platform/errors.ts';
import type { Lovelace } from '../../platform/units/money.ts';
import { requireApproved } from '../../proposals/rules/approval.ts';
import type { ProposalEffect } from '../../proposals/rules/effects.ts';
import type { ProposalType } from '../../proposals/rules/proposal.ts';
import { acceptedType, isQuantityOf } from '../../types/rules.ts';
import { acceptsPolicy } from '../../vaults/rules/access.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';

/** The approved effect, the requested one, and the wallet that executes. */
interface EffectRequest<Effect extends ProposalEffect = ProposalEffect> {
  readonly approved: Effect;
  readonly requested: ProposalEffect;
  /** Wallet. */
  readonly executor: string;
}

/** An asset of a proposal in its current state. */
interface AffectedAsset {
  readonly id: string;
  readonly status: AssetStatus;
  /** The address where the vault has staked it; null in custody. */
  readonly stakingAddress: string | null;
}

/** The attributes of a vault that decide what it may do. */
interface ExecutingVault {
  readonly terms: Pick<VaultTerms, 'assetWhitelist' | 'assetTypes' | 'maxAssets'>;
  /** Of its own NFT. */
  readonly policyId: string;
  /** Its own tokens: policy id + name; null before they are minted. */
  readonly ftUnit: string | null;
  readonly countedAssets: number;
  /** Where the vault may stake its assets. */
  readonly stakingAddresses: readonly string[];
}

/** A request with everything that decides whether it is allowed. */
export interface EvaluatedRequest<Effect extends ProposalEffect = ProposalEffect> extends EffectRequest<Effect> {
  readonly assets: readonly AffectedAsset[];
  /** Of the assets sold or bought; null when the vote fixed the price, or when there is none. */
  readonly valuation: Lovelace | null;
  readonly vault: ExecutingVault;
  /** The type and price of a bought asset; null when nothing is bought. */
  readonly bought: BoughtAsset | null;
}

/** The rules of one type of proposal. They receive only effects of that type. */
interface EffectRules<Effect extends ProposalEffect = ProposalEffect> {
  /** Whether the operator may have to pay, because the vault has too little ADA. */
  readonly mayNeedOperator: boolean;
  /** The wallet that signs besides the vault, and pays or is paid; null when there is none. */
  partner(request: EffectRequest<Effect>): string | null;
  /** The effect with no term left open. Throws the error of a request that is not allowed. */
  plan(request: EvaluatedRequest<Effect>): Effect;
}

type Purchase = Extract<ProposalEffect, { type: 'BUY' }>;

/** The vault buys an asset from a seller. */
const buyRules: EffectRules<Purchase> = {
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

/** The rules for contributed assets apply to bought assets too. */
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
  const message = `The vote approved ${terms.quantity} base units. The quantity of a CNT must be ${rangeText(rules)}.`;
  throw fieldError('INVALID_QUANTITY', 'action.details.quantity', message);
}

type Sale = Extract<ProposalEffect, { type: 'ASSET_SALE' }>;

/** The vault sells assets to a buyer, who pays their price. */
const assetSaleRules: EffectRules<Sale> = {
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

type Staking = Extract<ProposalEffect, { type: 'STAKE' }>;

/** The vault stakes assets at one of its staking addresses, or takes them back from there. */
const stakeRules: EffectRules<Staking> = {
  mayNeedOperator: true,
  partner: ({ approved: { terms } }) => (terms.direction === 'back' ? terms.stakingAddress : null),

  plan(request) {
    const { approved, requested } = request;
    requireApproved(approved, requested, null);
    if (approved.terms.direction === 'back') requireStaked(request);
    else requireInCustody(request.assets);
    requireListed(approved, request.vault);
    return approved;
  },
};

/** Throws STAKING_ADDRESS_NOT_LISTED with the addresses at which the vault may stake. */
export function requireListed(
  { terms: { stakingAddress: address } }: Staking,
  { stakingAddresses: listed }: Pick<ExecutingVault, 'stakingAddresses'>,
): void {
  if (!listed.includes(address)) throw new ServiceError('STAKING_ADDRESS_NOT_LISTED', { address, listed });
}

function requireStaked({ approved: { terms }, assets }: EvaluatedRequest<Staking>): void {
  const elsewhere = assets.filter(({ status, stakingAddress }) => {
    return status !== 'LOCKED' || stakingAddress !== terms.stakingAddress;
  });
  if (elsewhere.length > 0) throw new ServiceError('ASSET_NOT_STAKED', { assetIds: elsewhere.map(({ id }) => id) });
}

/** The vault ends. */
const liquidateRules: EffectRules<Extract<ProposalEffect, { type: 'LIQUIDATE' }>> = {
  mayNeedOperator: true,
  partner: () => null,

  plan({ approved, requested }) {
    requireApproved(approved, requested, null);
    return approved;
  },
};

/** Throws ASSET_NO_LONGER_HELD with the assets that have left custody. */
function requireInCustody(assets: readonly AffectedAsset[]): void {
  const gone = assets.filter(({ status, stakingAddress }) => status !== 'LOCKED' || stakingAddress !== null);
  if (gone.length > 0) throw new ServiceError('ASSET_NO_LONGER_HELD', { assetIds: gone.map(({ id }) => id) });
}

/** The price of an effect. Throws INVALID_REQUEST when it has none. */
export function requirePrice({ terms }: ProposalEffect): Lovelace {
  if ('price' in terms && terms.price !== null) return terms.price;
  throw fieldError('INVALID_REQUEST', 'action.details.price', 'The price is required, because the vote left it open.');
}

/** What each type of proposal allows when it is executed (design D27). */
export const effectRules: Readonly<Record<ProposalType, EffectRules>> = {
  ASSET_SALE: assetSaleRules,
  BUY: buyRules,
  STAKE: stakeRules,
  LIQUIDATE: liquidateRules,
};
