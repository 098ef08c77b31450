import { z } from 'zod';
import { assetTypes } from '../../domain/asset/asset.ts';
import { valuationMethodOf } from '../../domain/asset/valuation-method.ts';
import { parseAssetName } from '../../domain/asset/asset-name.ts';
import { fieldError } from '../../domain/errors.ts';
import type { AssetParams } from '../../domain/asset/asset-params.ts';
import { StakeAddressText, WalletUtxos } from '../../server/wallet-funds.ts';
import { AddressText, AssetNameText, PolicyId, TokenAmount, CaseInsensitive } from '../../server/fields.ts';

const Text = (length: number) => z.string().max(length);

const WebOrIpfsUrl = z.url({ protocol: /^(https?|ipfs)$/, error: 'Must be a URL of http, https or ipfs' }).max(2000);

export const AssetMetadata = z.strictObject({
  creator: Text(200).optional(),
  legal_proof: WebOrIpfsUrl.optional(),
  name: Text(200).optional(),
  description: Text(5000).optional(),
  image_url: WebOrIpfsUrl.optional(),
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
    utxos: WalletUtxos,
    stake_address: StakeAddressText,
  })
  .meta({ id: 'AddAsset' });

type AssetRequest = z.output<typeof AddAsset>;

/** What a request calls the fields that `parseAssetParams` may refuse. */
const specFields = { assetName: 'asset_name', valuationMethod: 'valuation_method' };

/** The request as domain input. Throws INVALID_ASSET_NAME, and INVALID_REQUEST for a valuation method of the other asset type. */
export function parseAssetParams(
  request: Omit<AssetRequest, 'wallet_address' | 'utxos' | 'stake_address'>,
  fields: typeof specFields = specFields,
): AssetParams {
  const assetName = parseAssetName(request.asset_name);
  if (assetName === undefined) {
    throw fieldError('INVALID_ASSET_NAME', fields.assetName, 'At most 32 bytes: text, or hex after 0x');
  }
  const type = request.type ?? (request.quantity === undefined ? 'NFT' : 'CNT');
  const defaultMethod = valuationMethodOf(type);
  const valuationMethod = request.valuation_method ?? defaultMethod;
  if (valuationMethod !== defaultMethod)
    throw fieldError('INVALID_REQUEST', fields.valuationMethod, `An ${type} is valued by ${defaultMethod}`);
  const { policy_id: policyId, quantity } = request;
  const isTypeNamed = request.type !== undefined;
  return { policyId, assetName, type, isTypeNamed, valuationMethod, quantity, metadata: storedMetadata(request) };
}

/** The metadata of the request with the field names of the Asset resource (design D10b). */
function storedMetadata({
  metadata,
  asset_name: assetName,
}: Pick<AssetRequest, 'metadata' | 'asset_name'>): Record<string, unknown> {
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
