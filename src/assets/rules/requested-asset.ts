import {
  parseAssetName,
  printAssetName,
  type AssetClass,
  type AssetType,
  isUnique,
  isFungibleByName,
  isReferenceToken,
  labelOf,
} from './asset.ts';
import { fieldError, ServiceError } from '../../platform/errors.ts';
import { type BaseUnits, baseUnits, parseTokenAmount } from '../../platform/units/money.ts';
import { customPriceOf, type Price } from '../../prices/rules.ts';
import { type ValuationMethod, valuationMethodOf } from '../../prices/rules/valuation-method.ts';
import {
  isBuiltInAssetType,
  acceptedType,
  type AcceptedAssetTypes,
  allowedMethods,
  type AssetTypeRules,
  isQuantityOf,
} from '../../types/rules.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';

/** An asset as a request describes it. */
interface RequestedAsset {
  readonly policyId: string;
  readonly assetName: string;
  /** Name of an asset type. */
  readonly type?: string | undefined;
  /** Whole tokens. */
  readonly quantity?: number | string | undefined;
  readonly valuationMethod?: ValuationMethod | undefined;
  readonly metadata: RequestedMetadata;
}

interface RequestedMetadata {
  readonly creator?: string | undefined;
  readonly legalProof?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly imageUrl?: string | undefined;
  readonly category?: string | undefined;
}

/** What a request calls the fields that may be refused. */
const fieldNames = { assetName: 'assetName', valuationMethod: 'valuationMethod' };

/** The requested asset. Throws INVALID_ASSET_NAME, and INVALID_REQUEST for a valuation method of the other asset type. */
export function parseRequestedAsset(requested: RequestedAsset, fields = fieldNames): AssetParams {
  const assetName = parseAssetName(requested.assetName);
  if (assetName === undefined)
    throw fieldError('INVALID_ASSET_NAME', fields.assetName, 'At most 32 bytes, as text or as hex after `0x`.');
  const { policyId, quantity } = requested;
  const type = requested.type ?? (quantity === undefined ? 'NFT' : 'CNT');
  const { valuationMethod } = requested;
  if (valuationMethod !== undefined) requireMethodOfType(type, valuationMethod, fields.valuationMethod);
  const isTypeNamed = requested.type !== undefined;
  return {
    policyId,
    assetName,
    type,
    isTypeNamed,
    valuationMethod,
    quantity,
    metadata: storedMetadata(requested, assetName),
  };
}

/** A registered type is checked later, by the rules that the vault has of it. */
function requireMethodOfType(type: string, method: ValuationMethod, field: string): void {
  if (method === 'custom' || !isBuiltInAssetType(type) || method === valuationMethodOf(type)) return;
  throw fieldError('INVALID_REQUEST', field, `Use ${valuationMethodOf(type)} or custom for an asset of type ${type}.`);
}

/** The metadata with the field names of the Asset resource (design D10b). */
function storedMetadata({ metadata }: RequestedAsset, assetNameHex: string): Record<string, unknown> {
  const { creator, legalProof, name, description, imageUrl, category } = metadata;
  return {
    name: name ?? printAssetName(assetNameHex),
    description: description ?? '',
    imageUrl: imageUrl ?? '',
    ...(category !== undefined && { category }),
    attributes: {
      ...(creator !== undefined && { creator }),
      ...(legalProof !== undefined && { legal_proof: legalProof }),
    },
  };
}

/** An asset that somebody wants to add, before its price is known. */
export interface AssetParams extends AssetClass {
  /** The name of an asset type; NFT or CNT when the request names none. */
  readonly type: string;
  /** Whether the request names the type. */
  readonly isTypeNamed: boolean;
  /** Undefined when the request does not name it. */
  readonly valuationMethod: ValuationMethod | undefined;
  /** Whole tokens; an NFT may leave it out. */
  readonly quantity: number | string | undefined;
  /** With the field names of the Asset resource (design D10b). */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What an asset of this type is on the ledger; undefined for a type that is neither built in nor one of the vault. */
export function baseTypeOf(accepted: AcceptedAssetTypes, { type }: Pick<AssetParams, 'type'>): AssetType | undefined {
  return isBuiltInAssetType(type) ? type : acceptedType(accepted, type)?.base;
}

/**
 * The asset with the type that its name (CIP-68) and its supply on the ledger allow (design D42): a fungible one, and one of an edition, is a CNT. The supply is
 * null while the ledger does not know the asset. Throws INVALID_QUANTITY when the request says that such a one is unique.
 */
export function withTypeOnLedger(
  params: AssetParams,
  base: AssetType | undefined,
  supply: bigint | null,
  { decimals }: Price,
): AssetParams {
  if (base !== 'NFT' || decimals > 0) return params;
  const fungible = whyFungible(params, supply);
  if (fungible === undefined) return params;
  if (params.isTypeNamed) throw fieldError('INVALID_QUANTITY', 'type', fungible);
  const valuationMethod = params.valuationMethod === 'custom' ? 'custom' : undefined;
  return { ...params, type: 'CNT', valuationMethod, quantity: 1 };
}

function whyFungible(asset: AssetClass, supply: bigint | null): string | undefined {
  if (isFungibleByName(asset))
    return `The asset name has label ${labelOf(asset.assetName)}, which marks a fungible token (CIP-68). Add it with type CNT.`;
  return supply === null || isUnique(supply)
    ? undefined
    : `An NFT has a supply of 1. This asset has a supply of ${supply}.`;
}

/** Throws ASSET_IS_REFERENCE_TOKEN for one without a price of the vault: the market's price is that of the token that it describes. */
export function requireWorth(
  terms: Pick<VaultTerms, 'customPrices' | 'floorPricePercentage'>,
  asset: AssetClass,
): void {
  if (isReferenceToken(asset) && !customPriceOf(terms, asset)) throw new ServiceError('ASSET_IS_REFERENCE_TOKEN');
}

/** The rules of the asset's type in a vault. */
export function requireAcceptedType(
  { assetTypes }: Pick<VaultTerms, 'assetTypes'>,
  { type }: Pick<AssetParams, 'type'>,
): AssetTypeRules {
  const rules = acceptedType(assetTypes, type);
  if (!rules) throw new ServiceError('ASSET_TYPE_NOT_ALLOWED', { type });
  return rules;
}

/**
 * How a vault values the asset: by the price that its admin has set, or else by the market. Throws VALUATION_METHOD_NOT_ALLOWED when
 * the request names another method, or when its type may not be valued so.
 */
export function requireValuationMethod(
  terms: Pick<VaultTerms, 'customPrices' | 'floorPricePercentage'>,
  rules: AssetTypeRules,
  params: AssetParams,
): ValuationMethod {
  const method = customPriceOf(terms, params) ? 'custom' : valuationMethodOf(rules.base);
  const { valuationMethod: named = method } = params;
  if (named !== method) throw new ServiceError('VALUATION_METHOD_NOT_ALLOWED', { method: named, allowed: [method] });
  const allowed = allowedMethods(rules);
  if (!allowed.includes(method)) throw new ServiceError('VALUATION_METHOD_NOT_ALLOWED', { method, allowed });
  return method;
}

/** The quantity in base units, with the decimals of the price. */
export function parseQuantity({ type, quantity }: AssetParams, rules: AssetTypeRules, { decimals }: Price): BaseUnits {
  const invalid = (message: string) => fieldError('INVALID_QUANTITY', 'quantity', message);
  if (rules.base === 'NFT') {
    // One base unit of a fungible asset would be valued as a whole token.
    if (decimals > 0)
      throw fieldError('INVALID_QUANTITY', 'type', `An asset with ${decimals} decimals is not an NFT. Use type CNT.`);
    if (quantity !== undefined && parseTokenAmount(quantity, 0) !== 1n)
      throw invalid('The quantity of an NFT must be 1.');
    return baseUnits(1n);
  }
  const units = quantity === undefined ? undefined : parseTokenAmount(quantity, decimals);
  if (units === undefined) throw invalid(`Required for type ${type}. This asset has ${decimals} decimals.`);
  if (!isQuantityOf(rules, units, decimals)) throw invalid(`The quantity of a ${type} must be ${rangeText(rules)}.`);
  return units;
}

/** The bounds of a quantity, as a sentence has them. */
export function rangeText({ minQuantity, maxQuantity }: AssetTypeRules): string {
  return `${minQuantity.toLocaleString('en')} to ${maxQuantity.toLocaleString('en')} whole tokens`;
}
