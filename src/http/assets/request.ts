import { z } from 'zod';
import { assetTypes, type AssetType, isCntQuantity } from '../../domain/asset/asset.ts';
import { parseAssetName } from '../../domain/asset/asset-name.ts';
import { fieldError } from '../../domain/errors.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { parseTokenAmount } from '../../domain/units/token-amount.ts';
import type { Price } from '../../domain/asset/valuation.ts';
import type { ValuationMethod } from '../../store/assets.ts';
import type { AssetClass } from '../../store/prices.ts';
import { AddressText, AssetNameText, PolicyId, TokenAmount, CaseInsensitive } from '../server/fields.ts';

const Text = (length: number) => z.string().max(length);

const AssetMetadata = z.strictObject({
  creator: Text(200).optional(),
  legal_proof: z
    .url({ protocol: /^(https?|ipfs)$/, error: 'Must be a URL of http, https or ipfs' })
    .max(2000)
    .optional(),
  name: Text(200).optional(),
  description: Text(5000).optional(),
  image_url: z
    .url({ protocol: /^(https?|ipfs)$/, error: 'Must be a URL of http, https or ipfs' })
    .max(2000)
    .optional(),
  category: Text(50).optional(),
});

/** Body of POST /vaults/{vaultId}/assets: the spec's fields, and the additive ones of design D16. */
export const AddAsset = z
  .strictObject({
    policy_id: PolicyId,
    asset_name: AssetNameText,
    valuation_method: z.enum(['floor_price', 'dex_price']).optional(),
    metadata: AssetMetadata.default({}),
    type: CaseInsensitive(assetTypes).optional(),
    quantity: TokenAmount.optional(),
    wallet_address: AddressText.optional(),
  })
  .meta({ id: 'AddAsset' });

export type AssetRequest = z.output<typeof AddAsset>;

/** Which asset is meant and how it is to be valued, before its price is known. */
export interface AssetParams extends AssetClass {
  readonly type: AssetType;
  readonly valuationMethod: ValuationMethod;
}

/** Raises INVALID_ASSET_NAME, and INVALID_REQUEST for a valuation method of the other type. */
export function parseAssetParams(request: AssetRequest): AssetParams {
  const assetName = parseAssetName(request.asset_name);
  if (assetName === undefined) {
    throw fieldError('INVALID_ASSET_NAME', 'asset_name', 'At most 32 bytes: text, or hex after 0x');
  }
  const type = request.type ?? (request.quantity === undefined ? 'NFT' : 'CNT');
  const usual = type === 'NFT' ? 'floor_price' : 'dex_price';
  const valuationMethod = request.valuation_method ?? usual;
  if (valuationMethod !== usual)
    throw fieldError('INVALID_REQUEST', 'valuation_method', `An ${type} is valued by ${usual}`);
  return { policyId: request.policy_id, assetName, type, valuationMethod };
}

/** The quantity in base units, decimals by the price source; raises INVALID_QUANTITY. */
export function readQuantity({ quantity }: AssetRequest, { type }: AssetParams, { decimals }: Price): BaseUnits {
  const refused = (message: string) => fieldError('INVALID_QUANTITY', 'quantity', message);
  if (type === 'NFT') {
    // One base unit of a fungible asset would count for a whole token.
    if (decimals > 0) throw fieldError('INVALID_QUANTITY', 'type', `An asset with ${decimals} decimals is not an NFT`);
    if (quantity !== undefined && parseTokenAmount(quantity, 0) !== 1n) throw refused('There is one of an NFT');
    return baseUnits(1n);
  }
  const units = quantity === undefined ? undefined : parseTokenAmount(quantity, decimals);
  if (units === undefined) throw refused(`A CNT needs a quantity; this one has ${decimals} decimals`);
  if (!isCntQuantity(units, decimals)) throw refused('A CNT comes in 1 to 1,000,000 whole tokens');
  return units;
}

/** What is kept of the request's metadata, in the words of the Asset resource (design D10b). */
export function readAssetMetadata({ metadata, asset_name: assetName }: AssetRequest): Record<string, unknown> {
  const { creator, legal_proof: legalProof, name, description, image_url: imageUrl, category } = metadata;
  return {
    name: name ?? assetName,
    description: description ?? '',
    imageUrl: imageUrl ?? '',
    ...(category !== undefined && { category }),
    attributes: {
      ...(creator !== undefined && { creator }),
      ...(legalProof !== undefined && { legal_proof: legalProof }),
    },
  };
}
