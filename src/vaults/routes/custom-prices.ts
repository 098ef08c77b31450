import { z } from 'zod';
import { parseAssetName } from '../../assets/rules/asset.ts';
import { type CustomPrice, MAX_CUSTOM_PRICES, MAX_CUSTOM_QUANTITY } from '../../prices/rules.ts';
import type { FieldProblem } from '../../platform/error-registry.ts';
import { type Instant, isoText } from '../../platform/units/time.ts';
import { lovelace } from '../../platform/units/money.ts';
import { AmountText, AssetNameText, LovelaceAmount, PolicyId, Timestamp } from '../../platform/http/fields.ts';

export const customPricesText =
  'Prices of assets without a market price, such as appraisals. The vault values these assets, and only these, ' +
  'by `custom`. The list is fixed when the asset window opens, so that contributors and investors know it. These ' +
  'prices do not become stale.';

const terms = {
  price: LovelaceAmount.describe('Lovelace for one whole token or one NFT.'),
  decimals: z.int().min(0).max(9).describe('Decimals of the asset. 0 for an NFT.').default(0),
};

const maxQuantityText = 'Maximum whole tokens that count at this price, in all deposits of the asset together';
const MaxQuantity = z.int().min(1).max(MAX_CUSTOM_QUANTITY).describe(maxQuantityText).default(1);

/** The prices in the request that creates a vault. */
export const CustomPriceSettings = z
  .array(z.strictObject({ policy_id: PolicyId, asset_name: AssetNameText, ...terms, max_quantity: MaxQuantity }))
  .max(MAX_CUSTOM_PRICES)
  .describe(customPricesText);

/** The same in additive requests. */
export const CustomPrices = z
  .array(z.strictObject({ policyId: PolicyId, assetName: AssetNameText, ...terms, maxQuantity: MaxQuantity }))
  .max(MAX_CUSTOM_PRICES)
  .describe(`The whole list. ${customPricesText}`);

interface ParseOptions {
  /** What the request calls the list, and the name of an asset in it. */
  readonly field: string;
  readonly nameField: string;
  readonly now: Instant;
}

/** The prices of a request as of now, and the problems of those with an invalid name or that are listed twice. */
export function parseCustomPrices(
  requested: z.output<typeof CustomPrices>,
  { field, nameField, now }: ParseOptions,
): { prices: CustomPrice[]; problems: FieldProblem[] } {
  const seen = new Set<string>();
  const prices: CustomPrice[] = [];
  const problems: FieldProblem[] = [];
  for (const [position, { policyId, assetName: text, price, ...rest }] of requested.entries()) {
    const assetName = parseAssetName(text);
    const at = `${field}.${position}.${nameField}`;
    if (assetName === undefined)
      problems.push({
        code: 'INVALID_ASSET_NAME',
        message: 'At most 32 bytes, as text or as hex after `0x`.',
        field: at,
      });
    else if (seen.has(policyId + assetName))
      problems.push({
        code: 'VALUE_NOT_ALLOWED',
        message: 'The asset is listed twice. List each asset once.',
        field: at,
      });
    else prices.push({ policyId, assetName, lovelace: lovelace(BigInt(price)), ...rest, setAt: now });
    seen.add(policyId + (assetName ?? text));
  }
  return { prices, problems };
}

export const CustomPriceResource = z.object({
  policyId: z.string(),
  assetNameHex: z.string(),
  price: AmountText.describe('Lovelace for one whole token or one NFT.'),
  decimals: z.int().describe('Decimals of the asset. 0 for an NFT.'),
  maxQuantity: z
    .int()
    .nullable()
    .describe(`${maxQuantityText}. \`null\`: no maximum, for prices set before 2026-11-22.`),
  setAt: Timestamp.describe('Time at which the admin set it.'),
});

export function presentCustomPrice(price: CustomPrice): z.input<typeof CustomPriceResource> {
  const { policyId, assetName: assetNameHex, decimals, maxQuantity, setAt } = price;
  return {
    policyId,
    assetNameHex,
    price: price.lovelace.toString(),
    decimals,
    maxQuantity: maxQuantity ?? null,
    setAt: isoText(setAt),
  };
}
