import type { BaseUnits } from '../../platform/units/money.ts';
import { type AssetType, assetTypes } from '../../assets/rules/asset.ts';
import { type ValuationMethod, valuationMethodOf } from '../../prices/rules/valuation-method.ts';

export const priceSources = ['market', 'admin'] as const;

/** What an asset type decides; a vault keeps the rules that its asset types had when it was created (design D11). */
export interface AssetTypeRules {
  /** NFT: unique on the ledger. CNT: fungible. */
  readonly base: AssetType;
  /** Whole tokens, inclusive. */
  readonly minQuantity: number;
  readonly maxQuantity: number;
  /** Who may say the price: the price source, the admin of the vault, or either. */
  readonly priceSources: readonly (typeof priceSources)[number][];
}

/** The asset types that a vault accepts, by name. */
export type AcceptedAssetTypes = Readonly<Record<string, AssetTypeRules>>;

/** The most whole tokens of one deposit (spec, "Validation bounds"). */
export const MAX_QUANTITY = 1_000_000;

/** The rules of the asset types of the specification, as the registry has them. */
export const builtInAssetTypes: Readonly<Record<AssetType, AssetTypeRules>> = {
  NFT: { base: 'NFT', minQuantity: 1, maxQuantity: 1, priceSources },
  CNT: { base: 'CNT', minQuantity: 1, maxQuantity: MAX_QUANTITY, priceSources },
};

/** Whether an asset type is one of the specification's. */
export function isBuiltInAssetType(name: string): name is AssetType {
  return assetTypes.some((type) => type === name);
}

/** The rules of an asset type in a vault; undefined when the vault does not accept it. */
export function acceptedType(accepted: AcceptedAssetTypes, name: string): AssetTypeRules | undefined {
  return Object.hasOwn(accepted, name) ? accepted[name] : undefined;
}

/** Whether a fungible asset can be added in this quantity (base units). */
export function isQuantityOf(
  { minQuantity, maxQuantity }: AssetTypeRules,
  quantity: BaseUnits,
  decimals: number,
): boolean {
  const token = 10n ** BigInt(decimals);
  return quantity >= BigInt(minQuantity) * token && quantity <= BigInt(maxQuantity) * token;
}

/** The methods by which assets of a type may be valued. */
export function allowedMethods({ base, priceSources: sources }: AssetTypeRules): ValuationMethod[] {
  return sources.map((source) => (source === 'admin' ? 'custom' : valuationMethodOf(base)));
}
