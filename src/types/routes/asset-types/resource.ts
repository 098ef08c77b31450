import { z } from 'zod';
import { type AssetTypeRules, builtInAssetTypes, MAX_QUANTITY, priceSources } from '../../rules/asset-type.ts';
import { assetTypes } from '../../../assets/rules/asset.ts';
import type { RegisteredType } from '../../queries/registered-types.ts';
import { CaseInsensitive } from '../../../platform/http/fields.ts';
import { AssetTypeRuleFields, assetTypeTexts, presentAssetTypeRules } from './rules.ts';
import { presentTypeFields, TypeDescription, TypeFields } from './type-fields.ts';

const Quantity = z.int().min(1).max(MAX_QUANTITY);

const AssetTypeFields = z.strictObject({
  description: TypeDescription,
  base: CaseInsensitive(assetTypes).describe('`NFT` for unique assets, `CNT` for fungible ones. Not case-sensitive.'),
  minQuantity: Quantity.describe(`${assetTypeTexts.minQuantity}; default 1`).optional(),
  maxQuantity: Quantity.describe(`${assetTypeTexts.maxQuantity}; default 1,000,000, for an NFT 1`).optional(),
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
  error: 'It is at least `minQuantity`, and 1 for an NFT',
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
