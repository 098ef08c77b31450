import { fieldError } from '../../platform/errors/errors.ts';
import { parseAssetName, printAssetName } from './asset-name.ts';
import type { AssetParams } from './asset-params.ts';
import { isBuiltInAssetType } from '../../types/rules/asset-type.ts';
import { type ValuationMethod, valuationMethodOf } from '../../prices/rules/valuation-method.ts';

/** An asset as a request describes it. */
export interface RequestedAsset {
  readonly policyId: string;
  readonly assetName: string;
  /** Name of an asset type. */
  readonly type?: string | undefined;
  /** Whole tokens. */
  readonly quantity?: number | string | undefined;
  readonly valuationMethod?: ValuationMethod | undefined;
  readonly metadata: RequestedMetadata;
}

interface RequestedMetadata {
  readonly creator?: string | undefined;
  readonly legalProof?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly imageUrl?: string | undefined;
  readonly category?: string | undefined;
}

/** What a request calls the fields that may be refused. */
const fieldNames = { assetName: 'assetName', valuationMethod: 'valuationMethod' };

/** The requested asset. Throws INVALID_ASSET_NAME, and INVALID_REQUEST for a valuation method of the other asset type. */
export function parseRequestedAsset(requested: RequestedAsset, fields = fieldNames): AssetParams {
  const assetName = parseAssetName(requested.assetName);
  if (assetName === undefined)
    throw fieldError('INVALID_ASSET_NAME', fields.assetName, 'At most 32 bytes: text, or hex after 0x');
  const { policyId, quantity } = requested;
  const type = requested.type ?? (quantity === undefined ? 'NFT' : 'CNT');
  const { valuationMethod } = requested;
  if (valuationMethod !== undefined) requireMethodOfType(type, valuationMethod, fields.valuationMethod);
  const isTypeNamed = requested.type !== undefined;
  return {
    policyId,
    assetName,
    type,
    isTypeNamed,
    valuationMethod,
    quantity,
    metadata: storedMetadata(requested, assetName),
  };
}

/** A registered type is judged later, by the rules that the vault has of it. */
function requireMethodOfType(type: string, method: ValuationMethod, field: string): void {
  if (method === 'custom' || !isBuiltInAssetType(type) || method === valuationMethodOf(type)) return;
  throw fieldError('INVALID_REQUEST', field, `An ${type} is valued by ${valuationMethodOf(type)} or custom`);
}

/** The metadata with the field names of the Asset resource (design D10b). */
function storedMetadata({ metadata }: RequestedAsset, assetNameHex: string): Record<string, unknown> {
  const { creator, legalProof, name, description, imageUrl, category } = metadata;
  return {
    name: name ?? printAssetName(assetNameHex),
    description: description ?? '',
    imageUrl: imageUrl ?? '',
    ...(category !== undefined && { category }),
    attributes: {
      ...(creator !== undefined && { creator }),
      ...(legalProof !== undefined && { legal_proof: legalProof }),
    },
  };
}
