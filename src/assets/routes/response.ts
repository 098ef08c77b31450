import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import { printTokenAmount } from '../../platform/units/token-amount.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import type { ReadAsset } from '../read-assets.ts';
import { AssetReleaseReasonEnum, AssetStatusEnum, AssetTypeName, ValuationMethodEnum } from './enums.ts';
import { AmountText, BaseUnitsText, Timestamp, WholeTokens } from '../../platform/http/fields.ts';
import { priceTimeText } from '../../platform/http/descriptions.ts';
import { depositOwnerScript, OwnerScript, type WithOwnerScript } from '../../transactions/routes/owner-script.ts';
import { assetExample } from './examples.ts';

const AssetMetadata = z.looseObject({
  name: z.string(),
  description: z.string().describe('Empty if none was given'),
  imageUrl: z.string().describe('Empty if none was given'),
  category: z.string().describe('Absent if none was given').optional(),
  attributes: z
    .looseObject({})
    .describe(
      '`creator` and `legal_proof` as they were given; `boughtBy` is the id of the proposal by which the vault bought the asset',
    ),
});

/** The spec's Asset, as lists return it. */
export const AssetResource = z
  .object({
    assetId: z.uuid(),
    vaultId: z.uuid(),
    type: AssetTypeName,
    contractAddress: z.string().describe('Policy id of the asset'),
    tokenId: z.string().describe('Name of the asset in hex'),
    assetNameHex: z.string().describe('Same as `tokenId`; put `0x` before it to use it in a request'),
    quantity: WholeTokens,
    quantityBaseUnits: BaseUnitsText,
    decimals: z.int().describe('Decimals of the asset according to its price source; 0 for an NFT'),
    floorPrice: z.number().describe('Lovelace; absent for a CNT').optional(),
    dexPrice: z.number().describe('Lovelace for one whole token; absent for an NFT').optional(),
    lastValuation: Timestamp.describe(priceTimeText),
    priceSource: z
      .string()
      .describe('Where the price is from, as the price source names it; `admin` for a custom price'),
    currentValue: AmountText.describe(
      'Value of the asset in the vault, in lovelace: price times quantity times `assetSettings.floorPricePercentage`',
    ),
    settledValue: AmountText.nullable().describe(
      'Lovelace that the settlement counted for the asset; null before, or if it did not count',
    ),
    valuationMethod: ValuationMethodEnum,
    status: AssetStatusEnum,
    leaving: z.boolean().describe('Whether a transaction that returns the asset is under way'),
    releaseReason: AssetReleaseReasonEnum.nullable().describe('Null unless the asset is RELEASED'),
    stakingAddress: z
      .string()
      .nullable()
      .describe('Address at which the vault has staked the asset; null while it is not staked'),
    deliveryDeposit: AmountText.describe(
      'Lovelace sent along with the asset; they pay for its delivery or return, and its owner gets back what is left',
    ),
    addedBy: z.string().describe('Wallet that added the asset, or sold it to the vault'),
    addedAt: Timestamp.describe('When the asset was recorded'),
    lockedAt: Timestamp.describe(
      'When the transaction that added the asset was found in a block; absent before',
    ).optional(),
    releasedAt: Timestamp.describe('Absent unless the asset is RELEASED').optional(),
    updatedAt: Timestamp.describe('When its status or its address last changed'),
    metadata: AssetMetadata,
    ownerScript: OwnerScript.nullable().describe(
      'The script of the deposit; `null` for an asset that the vault has bought, which was never a deposit',
    ),
  })
  .meta({ id: 'Asset', examples: [assetExample] });

export function presentAsset(
  { asset, price, value, guard }: ReadAsset,
  networkId: NetworkId,
): WithOwnerScript<z.input<typeof AssetResource>> {
  const { type, quantity } = asset;
  const { decimals } = asset.price;
  const priceNumber = Number(price.lovelace);
  return {
    assetId: asset.id,
    vaultId: asset.vaultId,
    type: asset.customType ?? type,
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
    settledValue: asset.countedValue?.toString() ?? null,
    valuationMethod: asset.valuationMethod,
    status: asset.status,
    leaving: asset.removeTransactionId !== null && asset.status === 'LOCKED',
    releaseReason: asset.releaseReason,
    stakingAddress: asset.stakingAddress,
    deliveryDeposit: asset.deliveryDeposit.toString(),
    addedBy: asset.owner,
    addedAt: isoText(asset.addedAt),
    ...(asset.lockedAt !== null && { lockedAt: isoText(asset.lockedAt) }),
    ...(asset.releasedAt !== null && { releasedAt: isoText(asset.releasedAt) }),
    updatedAt: isoText(asset.updatedAt),
    metadata: asset.metadata as z.input<typeof AssetMetadata>,
    ownerScript: asset.deliveryDeposit > 0n ? depositOwnerScript(guard, asset.owner, networkId) : null,
  };
}
