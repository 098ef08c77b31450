import { z } from 'zod';
import { assetReleaseReasons, assetStatuses, assetTypes } from '../domain/asset.ts';
import { type Instant, isoText } from '../domain/instant.ts';
import { printTokenAmount } from '../domain/token-amount.ts';
import type { PricedAsset } from '../store/settlement-input.ts';
import { AmountText, Timestamp } from './fields.ts';

const AssetMetadata = z.looseObject({
  name: z.string(),
  description: z.string(),
  imageUrl: z.string(),
  category: z.string().optional(),
  attributes: z.looseObject({}),
});

/** The spec's Asset as lists show it. Money in lovelace, for one whole token where it is a price. */
export const AssetResource = z
  .object({
    assetId: z.uuid(),
    vaultId: z.uuid(),
    type: z.enum(assetTypes),
    contractAddress: z.string(),
    tokenId: z.string(),
    assetNameHex: z.string(),
    quantity: z.number(),
    quantityBaseUnits: AmountText,
    decimals: z.int(),
    floorPrice: z.number().optional(),
    dexPrice: z.number().optional(),
    lastValuation: Timestamp,
    priceSource: z.string(),
    currentValue: AmountText,
    valuationMethod: z.enum(['floor_price', 'dex_price', 'custom']),
    status: z.enum(assetStatuses),
    /** Whether a transaction that returns it is under way. */
    leaving: z.boolean(),
    releaseReason: z.enum(assetReleaseReasons).nullable(),
    /** Where it is while the vault has staked it. */
    stakingAddress: z.string().nullable(),
    deliveryDeposit: AmountText,
    addedBy: z.string(),
    addedAt: Timestamp,
    lockedAt: Timestamp.nullable(),
    releasedAt: Timestamp.nullable(),
    updatedAt: Timestamp,
    metadata: AssetMetadata,
  })
  .meta({ id: 'Asset' });

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
