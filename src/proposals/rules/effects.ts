import type { FieldProblem } from '../../platform/error-registry.ts';
import { fieldError } from '../../platform/errors.ts';
import { type BaseUnits, type Lovelace, baseUnits } from '../../platform/units/money.ts';
import { affectedAssetIds, assetIdsByName, type AssetName, type VaultAsset } from './affected-assets.ts';
import { type ProposalType, actionWords } from './proposal.ts';
import { handedAssets, printHandedAssets } from '../../termination/rules/pot.ts';

/** Terms of a sale. `null` means that the vote left the term open, here and in all terms below. */
export interface SaleTerms {
  /** Lovelace for all assets together. */
  readonly price: Lovelace | null;
  readonly buyerAddress: string | null;
}

/** Terms of a purchase: the asset, its seller and its price. */
export interface PurchaseTerms {
  readonly policyId: string;
  readonly assetNameHex: string;
  readonly quantity: BaseUnits;
  /** Lovelace for the whole quantity. */
  readonly price: Lovelace | null;
  readonly sellerAddress: string | null;
}

/** Terms of staking assets at one of the vault's staking addresses (`out`), or of returning them to custody (`back`). */
export interface StakingTerms {
  readonly direction: 'out' | 'back';
  readonly stakingAddress: string;
}

/** The recipients of what a terminated vault still holds; `null` means nobody (design D31). */
interface LiquidationTerms {
  readonly remainingAssetsTo: string | null;
  readonly unclaimedLovelaceTo: string | null;
  /** Assets with wallets of their own (termination/handed-assets.ts). */
  readonly remainingAssets: string | null;
}

interface EffectOf<Type extends string, Terms> {
  readonly type: Type;
  /** Ids of assets in the vault; empty for BUY and LIQUIDATE. */
  readonly assetIds: readonly string[];
  readonly terms: Terms;
}

/** What a proposal does when it is executed (design D27). */
export type ProposalEffect =
  | EffectOf<'ASSET_SALE', SaleTerms>
  | EffectOf<'BUY', PurchaseTerms>
  | EffectOf<'STAKE', StakingTerms>
  | EffectOf<'LIQUIDATE', LiquidationTerms>;

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
  if (assets.length > 0) throw assetsError(fields, 'A liquidation applies to the whole vault. Name no assets.');
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
  throw fieldError('INVALID_REQUEST', field, 'Must be one of the staking addresses of the vault.');
}

/** Refuses terms of another type: they must not seem to be voted on. */
function requireTermsOfType({ type, terms }: RequestedEffect, fields: EffectFields): void {
  const allowed = new Set<string>(termsOfType[type]);
  const named = Object.entries(terms).flatMap(([name, term]) => (term === undefined ? [] : [name]));
  const foreign = named.find((name) => !allowed.has(name)) as keyof RequestedTerms | undefined;
  if (foreign === undefined) return;
  throw fieldError('INVALID_REQUEST', `${fields.terms}.${termNames[foreign]}`, `${type} has no such term.`);
}

function heldAssetIds(
  { assets }: RequestedEffect,
  held: readonly VaultAsset[],
  fields: EffectFields,
  location: string | null,
): readonly string[] {
  if (assets.length === 0) throw assetsError(fields, 'Name at least one asset of the vault.');
  return affectedAssetIds(assets, held, fields.assets, location);
}

function purchasedAsset({ assets: [asset, ...others] }: RequestedEffect, fields: EffectFields): AssetName {
  if (asset && others.length === 0) return asset;
  throw assetsError(fields, 'Name exactly one asset to buy.');
}

function assetsError({ assets }: EffectFields, message: string) {
  return fieldError('INVALID_REQUEST', assets, message);
}

/** The field of an execution request that carries each term. */
const fields: Readonly<Record<string, string>> = {
  price: 'action.details.price',
  buyerAddress: 'action.details.buyer_address',
  sellerAddress: 'action.details.seller_address',
  policyId: 'action.details.policy_id',
  assetNameHex: 'action.details.asset_name',
  quantity: 'action.details.quantity',
  direction: 'action.details.direction',
  stakingAddress: 'action.details.staking_address',
  remainingAssetsTo: 'action.details.remaining_assets_to',
  unclaimedLovelaceTo: 'action.details.unclaimed_lovelace_to',
  remainingAssets: 'action.details.remaining_assets',
};

/** Where a requested effect differs from the approved one, by request field. A term that the vote left open never differs. */
export function termsDiffer(approved: ProposalEffect, requested: ProposalEffect): readonly FieldProblem[] {
  return differences(approved, requested).map(({ field, expected, isNamed }) => ({
    code: 'ACTION_DIFFERS_FROM_APPROVED',
    message: `${isNamed ? 'The' : 'Required: the'} vote approved ${expected}.`,
    field,
  }));
}

/**
 * Where a requested effect differs from the frozen one, by request field. A frozen effect leaves no term open, but the request
 * may leave out its buyer or seller.
 */
export function frozenTermsDiffer(frozen: ProposalEffect, requested: ProposalEffect): readonly FieldProblem[] {
  const relevant = differences(frozen, requested).filter(({ name, isNamed }) => isNamed || !partners.has(name));
  return relevant.map(({ field, expected, isNamed }) => ({
    code: 'FROZEN_FOR_ANOTHER_ACTION',
    message: `${isNamed ? 'The' : 'Required: the'} transaction was frozen with ${expected}.`,
    field,
  }));
}

interface Difference {
  readonly name: string;
  readonly field: string;
  /** The approved or frozen value, as text. */
  readonly expected: string;
  /** Whether the request names the term at all. */
  readonly isNamed: boolean;
}

const partners = new Set(['buyerAddress', 'sellerAddress']);

function differences(expected: ProposalEffect, requested: ProposalEffect): readonly Difference[] {
  if (expected.type !== requested.type) {
    const type = `${actionWords[expected.type]} (${expected.type})`;
    return [{ name: 'type', field: 'action.type', expected: type, isNamed: true }];
  }
  const found: Difference[] = [];
  if (!haveSameMembers(expected.assetIds, requested.assetIds)) {
    const assets = `the assets ${expected.assetIds.join(', ')}`;
    found.push({ name: 'assetIds', field: 'action.details', expected: assets, isNamed: true });
  }
  const requestedTerms = new Map<string, unknown>(Object.entries(requested.terms));
  for (const [name, term] of Object.entries(expected.terms) as [string, string | bigint | null][]) {
    if (term === null || requestedTerms.get(name) === term) continue;
    const isNamed = requestedTerms.get(name) !== null;
    found.push({ name, field: fields[name] ?? name, expected: String(term), isNamed });
  }
  return found;
}

function haveSameMembers(first: readonly string[], second: readonly string[]): boolean {
  const members = new Set(first);
  return members.size === new Set(second).size && second.every((id) => members.has(id));
}

const nameVaultAssets = 'Name the asset with policy_id and asset_name, or several with affected_assets';
const missingAssets = {
  ASSET_SALE: nameVaultAssets,
  STAKE: nameVaultAssets,
  BUY: 'Name the asset to buy with policy_id and asset_name',
};

/**
 * The effect that an execution requests. It can name assets that the vault holds and assets that the vote approved,
 * whatever their status is now.
 */
export function resolveExecutionEffect(
  approved: ProposalEffect,
  { type, assets, terms }: RequestedEffect,
  vaultAssets: readonly VaultAsset[],
): ProposalEffect {
  // Another type is refused as a difference from the approved effect, so its details do not matter.
  if (type !== approved.type) return { ...approved, type } as ProposalEffect;
  if (assets.length === 0 && type !== 'LIQUIDATE') {
    throw fieldError('INVALID_REQUEST', executionEffectFields.assets, missingAssets[type]);
  }
  // A liquidation applies to the whole vault, whatever the request names.
  const named = type === 'LIQUIDATE' ? [] : assets;
  const requested = { type, assets: named, terms: { ...impliedTerms(approved), ...terms } };
  return resolveEffect(requested, nameableAssets(approved, vaultAssets), executionEffectFields);
}

/** Where the vote approved assets of a name, the name means those; they count as held until a later check. */
function nameableAssets({ assetIds }: ProposalEffect, assets: readonly VaultAsset[]): VaultAsset[] {
  const approvedIds = new Set(assetIds);
  const nameOf = ({ policyId, assetNameHex }: VaultAsset) => policyId + assetNameHex;
  const approvedNames = new Set(assets.filter(({ id }) => approvedIds.has(id)).map(nameOf));
  return assets
    .filter((asset) => approvedIds.has(asset.id) || !approvedNames.has(nameOf(asset)))
    .map(({ id, policyId, assetNameHex, status }) => {
      return { id, policyId, assetNameHex, status: approvedIds.has(id) ? 'LOCKED' : status };
    });
}

/** Terms that the vote always fixes, so that a request need not repeat them. */
function impliedTerms({ type, terms }: ProposalEffect): RequestedTerms {
  if (type === 'STAKE') return { direction: terms.direction, stakingAddress: terms.stakingAddress };
  return type === 'BUY' ? { quantity: terms.quantity } : {};
}
