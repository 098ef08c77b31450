import { type AssetType, assetTypes } from '../assets/rules/asset.ts';
import type { FieldProblem } from '../platform/error-registry.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import { type ValuationMethod, valuationMethodOf } from '../prices/rules/valuation-method.ts';

/** The vault types of the specification; others can be registered (design D11). */
export const vaultTypes = ['PUBLIC', 'PRIVATE', 'SEMI_PRIVATE'] as const;
export type VaultType = (typeof vaultTypes)[number];

export const valuationTypes = ['FIXED', 'LBE'] as const;
/** FIXED: the value of an asset is its price at contribution. LBE: its price when the asset window closed. */
export type ValuationType = (typeof valuationTypes)[number];

export const whitelistRules = ['anyone', 'listed_unless_empty', 'listed'] as const;
/** Which wallets may contribute or invest: any, those on the whitelist unless it is empty, or the admin and those on the whitelist. */
export type WhitelistRule = (typeof whitelistRules)[number];

export const readerRules = ['anyone', 'participants'] as const;

/** What a vault type decides; a vault keeps the rules that its type had when it was created (design D8, D11). */
export interface VaultTypeRules {
  /** Participants are the admin, wallets on a whitelist, and those with a deposit or a stake. */
  readonly readers: (typeof readerRules)[number];
  readonly contributors: WhitelistRule;
  readonly investors: WhitelistRule;
  /** In which ways the assets of such a vault may be valued. */
  readonly valuationTypes: readonly ValuationType[];
  /** Names of the asset types that such a vault may accept; any if empty. */
  readonly assetTypes: readonly string[];
}

const unrestricted = { valuationTypes, assetTypes: [] } as const;

/** The rules of the vault types of the specification, as the registry has them. */
export const builtInVaultTypes: Readonly<Record<VaultType, VaultTypeRules>> = {
  PUBLIC: { readers: 'anyone', contributors: 'anyone', investors: 'anyone', ...unrestricted },
  PRIVATE: { readers: 'participants', contributors: 'listed', investors: 'listed', ...unrestricted },
  SEMI_PRIVATE: {
    readers: 'anyone',
    contributors: 'listed_unless_empty',
    investors: 'listed_unless_empty',
    ...unrestricted,
  },
};

/** The type of the specification that is most like these rules. Only vaults with the readers of PRIVATE are PRIVATE. */
export function closestVaultType({ readers, contributors, investors }: VaultTypeRules): VaultType {
  if (readers === 'participants') return 'PRIVATE';
  return contributors === 'anyone' && investors === 'anyone' ? 'PUBLIC' : 'SEMI_PRIVATE';
}

/** Whether a wallet that may contribute or invest might not be able to read the vault. */
export function excludesReaders({ readers, contributors, investors }: VaultTypeRules): boolean {
  return readers === 'participants' && (contributors !== 'listed' || investors !== 'listed');
}

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

/** The registered types that a request names, by name; those that do not exist or are retired are missing. */
export interface NamedTypes {
  readonly vaultTypes: ReadonlyMap<string, VaultTypeRules>;
  readonly assetTypes: ReadonlyMap<string, AssetTypeRules>;
}

/** The types of a vault to be created. */
interface RequestedTypes {
  /** Undefined when the request names none. */
  readonly type: string | undefined;
  readonly valuationType: ValuationType;
  readonly assetTypes: readonly string[];
}

const fields = {
  valuationType: 'asset_settings.valuation_type',
  assetTypes: 'asset_settings.allowed_asset_types',
} as const;

/** What keeps a vault from having these types, by field of the request that creates it; `typeField` names its type. */
export function typeProblems(
  requested: RequestedTypes,
  { vaultTypes, assetTypes }: NamedTypes,
  typeField: string,
): FieldProblem[] {
  const { type, valuationType, assetTypes: names } = requested;
  if (type === undefined) return [];
  const rules = vaultTypes.get(type);
  const unknown = names.flatMap((name, position) =>
    assetTypes.has(name)
      ? []
      : [problem(`${fields.assetTypes}.${position}`, 'No active asset type has this name.', 'asset')],
  );
  if (!rules) return [problem(typeField, 'No active vault type has this name.', 'vault'), ...unknown];
  const refused = names.flatMap((name, position) =>
    rules.assetTypes.length === 0 || rules.assetTypes.includes(name) || !assetTypes.has(name)
      ? []
      : [
          refusal(
            `${fields.assetTypes}.${position}`,
            `A vault of type ${type} accepts ${rules.assetTypes.join(', ')}.`,
          ),
        ],
  );
  const isValuedSo = rules.valuationTypes.includes(valuationType);
  const valuation = `A vault of type ${type} must be ${rules.valuationTypes.join(' or ')}.`;
  return [...unknown, ...refused, ...(isValuedSo ? [] : [refusal(fields.valuationType, valuation)])];
}

function problem(field: string, message: string, kind: 'vault' | 'asset'): FieldProblem {
  return { code: 'VALUE_NOT_ALLOWED', message: `${message}; \`GET /api/v1/${kind}-types\` lists them`, field };
}

function refusal(field: string, message: string): FieldProblem {
  return { code: 'INVALID_VAULT_PARAMS', message, field };
}
