import { z } from 'zod';
import { type AcceptedAssetTypes, type AssetTypeRules, priceSources } from '../../rules/asset-type.ts';
import { assetTypes } from '../../../assets/rules/asset.ts';
import { enumSchema } from '../../../platform/http/enums.ts';

const BaseAssetTypeEnum = enumSchema('BaseAssetType', assetTypes, {
  NFT: 'unique: the ledger has one base unit of it in all',
  CNT: 'fungible',
});

const PriceSourceEnum = enumSchema('PriceSource', priceSources, {
  market: 'the price source says the price: methods `floor_price` and `dex_price`',
  admin: 'the price is one of the `customPrices` of the vault: method `custom`',
});

export const assetTypeTexts = {
  minQuantity: 'Fewest whole tokens of one deposit',
  maxQuantity: 'Most whole tokens of one deposit',
  priceSources: 'Who may say the price of such an asset',
};

/** What an asset type decides, in responses. */
export const AssetTypeRuleFields = z.object({
  base: BaseAssetTypeEnum,
  minQuantity: z.int().describe(assetTypeTexts.minQuantity),
  maxQuantity: z.int().describe(assetTypeTexts.maxQuantity),
  priceSources: z.array(PriceSourceEnum).describe(assetTypeTexts.priceSources),
});

/** The rules of the asset types that a vault accepts. */
export const AcceptedTypes = z.array(AssetTypeRuleFields.extend({ name: z.string() }));

export function presentAssetTypeRules(rules: AssetTypeRules): z.input<typeof AssetTypeRuleFields> {
  const { base, minQuantity, maxQuantity, priceSources: sources } = rules;
  return { base, minQuantity, maxQuantity, priceSources: [...sources] };
}

export function presentAcceptedTypes(accepted: AcceptedAssetTypes): z.input<typeof AcceptedTypes> {
  return Object.entries(accepted).map(([name, rules]) => ({ name, ...presentAssetTypeRules(rules) }));
}
