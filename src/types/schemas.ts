import { z } from 'zod';
import { assetTypes } from '../assets/rules/asset.ts';
import { enumSchema, CaseInsensitive, Timestamp, TypeName, visibleLines } from '../platform/http/fields.ts';
import { pageQuery } from '../platform/http/envelope.ts';
import { isoText } from '../platform/units/time.ts';
import type { RegisteredType, TypeKind } from './queries.ts';
import {
  type AcceptedAssetTypes,
  type AssetTypeRules,
  priceSources,
  builtInAssetTypes,
  MAX_QUANTITY,
  readerRules,
  type VaultTypeRules,
  whitelistRules,
  excludesReaders,
  valuationTypes,
} from './rules.ts';
import { ValuationTypeEnum } from '../vaults/routes/enums.ts';

const TypeDescription = visibleLines(500).describe('Purpose of the type, for people.').default('');

export const TypeParams = z.strictObject({
  name: TypeName.describe(
    'Name of the type. Not case-sensitive. Stored in upper case, with underscores for hyphens and blanks.',
  ),
});

export const typeQuery = z.strictObject({
  ...pageQuery(['name', 'createdAt']),
  retired: CaseInsensitive(['true', 'false']).optional(),
});

/** Which types are wanted; undefined for all. */
export function isRetired({ retired }: z.output<typeof typeQuery>): boolean | undefined {
  return retired === undefined ? undefined : retired === 'true';
}

/** What vault types and asset types have in common, in responses. */
const TypeFields = z.object({
  name: z.string(),
  description: z.string(),
  builtIn: z.boolean().describe('Whether the type belongs to the specification and cannot be changed.'),
  createdAt: Timestamp,
  updatedAt: Timestamp.describe('Time at which its rules were last registered.'),
  retiredAt: Timestamp.nullable().describe('Time from which new vaults cannot use it. `null` while they can.'),
});

function presentTypeFields(type: RegisteredType<TypeKind>): z.input<typeof TypeFields> {
  const { name, description, isBuiltIn: builtIn, createdAt, updatedAt, retiredAt } = type;
  return {
    name,
    description,
    builtIn,
    createdAt: isoText(createdAt),
    updatedAt: isoText(updatedAt),
    retiredAt: retiredAt === null ? null : isoText(retiredAt),
  };
}

const BaseAssetTypeEnum = enumSchema('BaseAssetType', assetTypes, {
  NFT: 'unique: a total supply of one base unit',
  CNT: 'fungible',
});

const PriceSourceEnum = enumSchema('PriceSource', priceSources, {
  market: 'the price source gives the price: methods `floor_price` and `dex_price`',
  admin: 'the price is one of the `customPrices` of the vault: method `custom`',
});

const assetTypeTexts = {
  minQuantity: 'Minimum whole tokens of one deposit',
  maxQuantity: 'Maximum whole tokens of one deposit',
  priceSources: 'Sources of the price of such an asset.',
};

/** What an asset type decides, in responses. */
const AssetTypeRuleFields = z.object({
  base: BaseAssetTypeEnum,
  minQuantity: z.int().describe(assetTypeTexts.minQuantity),
  maxQuantity: z.int().describe(assetTypeTexts.maxQuantity),
  priceSources: z.array(PriceSourceEnum).describe(assetTypeTexts.priceSources),
});

/** The rules of the asset types that a vault accepts. */
export const AcceptedTypes = z.array(AssetTypeRuleFields.extend({ name: z.string() }));

function presentAssetTypeRules(rules: AssetTypeRules): z.input<typeof AssetTypeRuleFields> {
  const { base, minQuantity, maxQuantity, priceSources: sources } = rules;
  return { base, minQuantity, maxQuantity, priceSources: [...sources] };
}

export function presentAcceptedTypes(accepted: AcceptedAssetTypes): z.input<typeof AcceptedTypes> {
  return Object.entries(accepted).map(([name, rules]) => ({ name, ...presentAssetTypeRules(rules) }));
}

const Quantity = z.int().min(1).max(MAX_QUANTITY);

const AssetTypeFields = z.strictObject({
  description: TypeDescription,
  base: CaseInsensitive(assetTypes).describe('`NFT` for unique assets, `CNT` for fungible ones. Not case-sensitive.'),
  minQuantity: Quantity.describe(`${assetTypeTexts.minQuantity}. Default 1.`).optional(),
  maxQuantity: Quantity.describe(`${assetTypeTexts.maxQuantity}. Default 1,000,000, for an NFT 1.`).optional(),
  priceSources: z
    .array(CaseInsensitive(priceSources))
    .min(1)
    .max(priceSources.length)
    .describe(assetTypeTexts.priceSources)
    .default([...priceSources]),
});

/** Body of PUT /asset-types/{name}. */
export const RegisterAssetType = AssetTypeFields.refine((rules) => fitsBase(rulesOf(rules)), {
  path: ['maxQuantity'],
  error: 'Must be at least `minQuantity`, and 1 for an NFT.',
}).meta({ id: 'RegisterAssetType' });

export const AssetTypeResource = TypeFields.extend(AssetTypeRuleFields.shape).meta({
  id: 'RegisteredAssetType',
  examples: [
    {
      name: 'REAL_ESTATE',
      description: 'Deeds, appraised by the admin of the vault',
      builtIn: false,
      base: 'NFT',
      minQuantity: 1,
      maxQuantity: 1,
      priceSources: ['admin'],
      createdAt: '2026-11-22T13:10:05.144Z',
      updatedAt: '2026-11-22T13:10:05.144Z',
      retiredAt: null,
    },
  ],
});

/** The rules of a request, whose quantities default to those of the base. */
export function rulesOf(request: Omit<z.output<typeof AssetTypeFields>, 'description'>): AssetTypeRules {
  const { base, priceSources: sources } = request;
  const { minQuantity, maxQuantity } = builtInAssetTypes[base];
  return {
    base,
    minQuantity: request.minQuantity ?? minQuantity,
    maxQuantity: request.maxQuantity ?? maxQuantity,
    priceSources: [...new Set(sources)],
  };
}

function fitsBase({ base, minQuantity, maxQuantity }: AssetTypeRules): boolean {
  return minQuantity <= maxQuantity && maxQuantity <= builtInAssetTypes[base].maxQuantity;
}

export function presentAssetType(type: RegisteredType<'asset'>): z.input<typeof AssetTypeResource> {
  return { ...presentTypeFields(type), ...presentAssetTypeRules(type.rules) };
}

const WhitelistRuleEnum = enumSchema('WhitelistRule', whitelistRules, {
  anyone: 'any wallet',
  listed_unless_empty: 'the wallets on the whitelist, or any wallet while it is empty',
  listed: 'the admin and the wallets on the whitelist',
});

const ReaderRuleEnum = enumSchema('ReaderRule', readerRules, {
  anyone: 'every caller may read the vault',
  participants: 'the admin, wallets on a whitelist, and wallets with a deposit or a stake. Others get 404.',
});

const vaultTypeTexts = {
  contributors: 'Wallets that may contribute, by `contributorWhitelist`.',
  investors: 'Wallets that may invest, by `investorWhitelist`.',
  assetTypes: 'Names of the asset types that such a vault may accept. Any if empty.',
};

/** What a vault type decides, in responses. */
export const VaultTypeRuleFields = z.object({
  readers: ReaderRuleEnum,
  contributors: WhitelistRuleEnum.describe(vaultTypeTexts.contributors),
  investors: WhitelistRuleEnum.describe(vaultTypeTexts.investors),
  valuationTypes: z.array(ValuationTypeEnum).describe('Valuation types that such a vault may have.'),
  assetTypes: z.array(z.string()).describe(vaultTypeTexts.assetTypes),
});

export function presentVaultTypeRules(rules: VaultTypeRules): z.input<typeof VaultTypeRuleFields> {
  const { readers, contributors, investors, valuationTypes, assetTypes } = rules;
  return { readers, contributors, investors, valuationTypes: [...valuationTypes], assetTypes: [...assetTypes] };
}

const WhitelistRuleText = CaseInsensitive(whitelistRules);

/** Body of PUT /vault-types/{name}. */
export const RegisterVaultType = z
  .strictObject({
    description: TypeDescription,
    readers: CaseInsensitive(readerRules).default('anyone'),
    contributors: WhitelistRuleText.describe(vaultTypeTexts.contributors),
    investors: WhitelistRuleText.describe(vaultTypeTexts.investors),
    valuationTypes: z
      .array(CaseInsensitive(valuationTypes))
      .min(1)
      .max(valuationTypes.length)
      .default([...valuationTypes]),
    assetTypes: z.array(TypeName).max(10).describe(vaultTypeTexts.assetTypes).default([]),
  })
  .refine((rules) => !excludesReaders(rules), {
    path: ['readers'],
    error:
      'Wallets that may contribute or invest must also be able to read. With `participants`, both must be `listed`.',
  })
  .meta({ id: 'RegisterVaultType' });

export const VaultTypeResource = TypeFields.extend(VaultTypeRuleFields.shape).meta({
  id: 'RegisteredVaultType',
  examples: [
    {
      name: 'CLUB',
      description: 'Members contribute, anyone invests',
      builtIn: false,
      readers: 'anyone',
      contributors: 'listed',
      investors: 'anyone',
      valuationTypes: ['FIXED'],
      assetTypes: ['REAL_ESTATE'],
      createdAt: '2026-11-22T13:10:05.144Z',
      updatedAt: '2026-11-22T13:10:05.144Z',
      retiredAt: null,
    },
  ],
});

export function presentVaultType(type: RegisteredType<'vault'>): z.input<typeof VaultTypeResource> {
  return { ...presentTypeFields(type), ...presentVaultTypeRules(type.rules) };
}
