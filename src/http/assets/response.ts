import { z } from 'zod';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import { printTokenAmount } from '../../domain/units/token-amount.ts';
import type { PricedAsset } from '../../services/settlements/settlement-input.ts';
import { AssetReleaseReasonEnum, AssetStatusEnum, AssetTypeEnum, ValuationMethodEnum } from './enums.ts';
import { AmountText, BaseUnitsText, Timestamp, WholeTokens } from '../server/fields.ts';
import { priceTimeText } from '../server/descriptions.ts';
import { assetExample } from './examples.ts';

const AssetMetadata = z.looseObject({
  name: z.string(),
  description: z.string().describe('Empty where none was given'),
  imageUrl: z.string().describe('Empty where none was given'),
  category: z.string().describe('Absent where none was given').optional(),
  attributes: z
    .looseObject({})
    .describe('`creator` and `legal_proof` as they were given; `boughtBy`, a proposal, of what the vault bought'),
});

/** The spec's Asset as lists show it. */
export const AssetResource = z
  .object({
    assetId: z.uuid(),
    vaultId: z.uuid(),
    type: AssetTypeEnum,
    contractAddress: z.string().describe('Its policy id'),
    tokenId: z.string().describe('Its name, in hex'),
    assetNameHex: z.string().describe('As `tokenId`; a request takes it with `0x` before it'),
    quantity: WholeTokens,
    quantityBaseUnits: BaseUnitsText,
    decimals: z.int().describe('Of the asset, as its price source has them; 0 for an NFT'),
    floorPrice: z.number().describe('Lovelace; of an NFT, absent for a CNT').optional(),
    dexPrice: z.number().describe('Lovelace for one whole token; of a CNT, absent for an NFT').optional(),
    lastValuation: Timestamp.describe(priceTimeText),
    priceSource: z.string().describe('What the price source calls the place its price is from'),
    currentValue: AmountText.describe(
      'Lovelace that it counts for in the vault: its price times its quantity times `assetSettings.floorPricePercentage`',
    ),
    valuationMethod: ValuationMethodEnum,
    status: AssetStatusEnum,
    leaving: z.boolean().describe('Whether a transaction that returns it is under way'),
    releaseReason: AssetReleaseReasonEnum.nullable().describe('Null unless it is RELEASED'),
    stakingAddress: z.string().nullable().describe('Where it is while the vault has staked it; else null'),
    deliveryDeposit: AmountText.describe(
      'Lovelace beside it, which pay for its way; what is left of them goes to its owner',
    ),
    addedBy: z.string().describe('The wallet that brought it, or sold it to the vault'),
    addedAt: Timestamp.describe('When it was recorded'),
    lockedAt: Timestamp.nullable().describe('When the transaction that brought it was found in a block; null before'),
    releasedAt: Timestamp.nullable().describe('Null unless it is RELEASED'),
    updatedAt: Timestamp.describe('When its status or its place last changed'),
    metadata: AssetMetadata,
  })
  .meta({ id: 'Asset', examples: [assetExample] });

export function presentAsset({ asset, price, value }: PricedAsset): z.input<typeof AssetResource> {
  const { type, quantity } = asset;
  const { decimals } = asset.price;
  const priceNumber = Number(price.lovelace);
  return {
    assetId: asset.id,
    vaultId: asset.vaultId,
    type,
    contractAddress: asset.policyId,
    tokenId: asset.assetName,
    assetNameHex: asset.assetName,
    quantity: Number(printTokenAmount(quantity, decimals)),
    quantityBaseUnits: quantity.toString(),
    decimals,
    ...(type === 'NFT' ? { floorPrice: priceNumber } : { dexPrice: priceNumber }),
    lastValuation: isoText(price.asOf),
    priceSource: price.source,
    currentValue: value.toString(),
    valuationMethod: asset.valuationMethod,
    status: asset.status,
    leaving: asset.removeTransactionId !== null && asset.status === 'LOCKED',
    releaseReason: asset.releaseReason,
    stakingAddress: asset.stakingAddress,
    deliveryDeposit: asset.deliveryDeposit.toString(),
    addedBy: asset.owner,
    addedAt: isoText(asset.addedAt),
    lockedAt: textOrNull(asset.lockedAt),
    releasedAt: textOrNull(asset.releasedAt),
    updatedAt: isoText(asset.updatedAt),
    metadata: asset.metadata as z.input<typeof AssetMetadata>,
  };
}

function textOrNull(at: Instant | null): string | null {
  return at === null ? null : isoText(at);
}
