import { fieldError } from '../../platform/errors/errors.ts';
import { type BaseUnits, baseUnits, type Lovelace } from '../../platform/units/money.ts';
import { affectedAssetIds, assetIdsByName, type AssetName, type VaultAsset } from './affected-assets.ts';
import { handedAssets, printHandedAssets } from '../../termination/rules/handed-assets.ts';
import type { ProposalEffect } from './effect.ts';
import type { ProposalType } from './proposal.ts';

/** Terms that a request names; addresses are valid, amounts are above 0. */
export interface RequestedTerms {
  readonly price?: Lovelace | undefined;
  readonly buyerAddress?: string | undefined;
  readonly sellerAddress?: string | undefined;
  readonly quantity?: BaseUnits | undefined;
  readonly direction?: 'out' | 'back' | undefined;
  readonly stakingAddress?: string | undefined;
  readonly remainingAssetsTo?: string | undefined;
  readonly unclaimedLovelaceTo?: string | undefined;
  readonly remainingAssets?: readonly (AssetName & { readonly address: string })[] | undefined;
}

/** An effect as a request describes it: assets by name, any terms. */
export interface RequestedEffect {
  readonly type: ProposalType;
  readonly assets: readonly AssetName[];
  readonly terms: RequestedTerms;
}

/** The request fields that carry the assets and the terms of an effect. */
export interface EffectFields {
  readonly assets: string;
  readonly terms: string;
}

export const proposalEffectFields: EffectFields = {
  assets: 'proposal_details.affected_assets',
  terms: 'proposal_details.terms',
};
export const executionEffectFields: EffectFields = { assets: 'action.details', terms: 'action.details' };

/** The name of each term in requests. */
const termNames: Readonly<Record<keyof RequestedTerms, string>> = {
  price: 'price',
  buyerAddress: 'buyer_address',
  sellerAddress: 'seller_address',
  quantity: 'quantity',
  direction: 'direction',
  stakingAddress: 'staking_address',
  remainingAssetsTo: 'remaining_assets_to',
  unclaimedLovelaceTo: 'unclaimed_lovelace_to',
  remainingAssets: 'remaining_assets',
};

const termsOfType: Readonly<Record<ProposalType, readonly (keyof RequestedTerms)[]>> = {
  ASSET_SALE: ['price', 'buyerAddress'],
  BUY: ['price', 'sellerAddress', 'quantity'],
  STAKE: ['direction', 'stakingAddress'],
  LIQUIDATE: ['remainingAssetsTo', 'unclaimedLovelaceTo', 'remainingAssets'],
};

/**
 * The requested effect on the assets that the vault holds. Throws INVALID_REQUEST and ASSET_NOT_IN_VAULT at `fields`.
 */
export function resolveEffect(
  requested: RequestedEffect,
  held: readonly VaultAsset[],
  fields: EffectFields,
): ProposalEffect {
  const { type, terms } = requested;
  requireTermsOfType(requested, fields);
  switch (type) {
    case 'ASSET_SALE':
      return {
        type,
        assetIds: heldAssetIds(requested, held, fields, null),
        terms: { price: terms.price ?? null, buyerAddress: terms.buyerAddress ?? null },
      };
    case 'STAKE':
      return resolveStaking(requested, held, fields);
    case 'LIQUIDATE':
      return resolveLiquidation(requested, held, fields);
    case 'BUY':
      return resolvePurchase(requested, fields);
  }
}

function resolveLiquidation(
  { assets, terms }: RequestedEffect,
  held: readonly VaultAsset[],
  fields: EffectFields,
): ProposalEffect {
  if (assets.length > 0) throw assetsError(fields, 'A liquidation applies to the whole vault, so it names no assets');
  const { remainingAssetsTo = null, unclaimedLovelaceTo = null, remainingAssets = [] } = terms;
  const field = `${fields.terms}.${termNames.remainingAssets}`;
  const handed = handedAssets(remainingAssets, assetIdsByName(remainingAssets, held, field), field);
  return {
    type: 'LIQUIDATE',
    assetIds: [],
    terms: {
      remainingAssetsTo,
      unclaimedLovelaceTo,
      remainingAssets: handed.length === 0 ? null : printHandedAssets(handed),
    },
  };
}

function resolvePurchase(requested: RequestedEffect, fields: EffectFields): ProposalEffect {
  const { quantity = baseUnits(1n), price = null, sellerAddress = null } = requested.terms;
  const terms = { ...purchasedAsset(requested, fields), quantity, price, sellerAddress };
  return { type: 'BUY', assetIds: [], terms };
}

/** Moves assets out of custody, or back from the address where they are staked. */
function resolveStaking(requested: RequestedEffect, held: readonly VaultAsset[], fields: EffectFields): ProposalEffect {
  const { direction = 'out', stakingAddress } = requested.terms;
  const location = direction === 'back' ? (stakingAddress ?? null) : null;
  const assetIds = heldAssetIds(requested, held, fields, location);
  if (stakingAddress !== undefined) return { type: 'STAKE', assetIds, terms: { direction, stakingAddress } };
  const field = `${fields.terms}.${termNames.stakingAddress}`;
  throw fieldError('INVALID_REQUEST', field, 'Name one of the staking addresses of the vault');
}

/** Refuses terms of another type: they must not seem to be voted on. */
function requireTermsOfType({ type, terms }: RequestedEffect, fields: EffectFields): void {
  const allowed = new Set<string>(termsOfType[type]);
  const named = Object.entries(terms).flatMap(([name, term]) => (term === undefined ? [] : [name]));
  const foreign = named.find((name) => !allowed.has(name)) as keyof RequestedTerms | undefined;
  if (foreign === undefined) return;
  throw fieldError('INVALID_REQUEST', `${fields.terms}.${termNames[foreign]}`, `This is not a term of ${type}`);
}

function heldAssetIds(
  { assets }: RequestedEffect,
  held: readonly VaultAsset[],
  fields: EffectFields,
  location: string | null,
): readonly string[] {
  if (assets.length === 0) throw assetsError(fields, 'Name at least one asset of the vault');
  return affectedAssetIds(assets, held, fields.assets, location);
}

function purchasedAsset({ assets: [asset, ...others] }: RequestedEffect, fields: EffectFields): AssetName {
  if (asset && others.length === 0) return asset;
  throw assetsError(fields, 'Name exactly one asset to buy');
}

function assetsError({ assets }: EffectFields, message: string) {
  return fieldError('INVALID_REQUEST', assets, message);
}
