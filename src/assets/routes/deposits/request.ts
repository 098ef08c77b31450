import { z } from 'zod';
import type { AssetParams } from '../../rules/asset-params.ts';
import { errorOfListedAsset } from '../../rules/asset-refusal.ts';
import { unitOf } from '../../rules/asset.ts';
import { parseRequestedAsset } from '../../rules/requested-asset.ts';
import { fieldError } from '../../../platform/errors/errors.ts';
import { AssetNameText, PolicyId, TokenAmount, TypeName } from '../../../platform/http/fields.ts';
import { payerFields } from '../../../transactions/routes/wallet-funds.ts';
import { AssetMetadata, assetTypeText, ValuationMethodText } from '../request.ts';

/** As many as a transaction holds when its owner keeps few other assets in the same UTxOs. */
const MAX_ASSETS = 40;

const { legal_proof: legalProof, image_url: imageUrl, ...sharedMetadata } = AssetMetadata.shape;

const DepositedAsset = z
  .strictObject({
    policyId: PolicyId,
    assetName: AssetNameText,
    type: TypeName.describe(assetTypeText).optional(),
    quantity: TokenAmount.optional(),
    valuationMethod: ValuationMethodText,
    metadata: z.strictObject({ ...sharedMetadata, legalProof, imageUrl }).default({}),
  })
  .meta({ id: 'DepositedAsset' });

/** Body of POST /vaults/{vaultId}/deposits. */
export const CreateDeposit = z
  .strictObject({
    ...payerFields,
    assets: z
      .array(DepositedAsset)
      .min(1)
      .max(MAX_ASSETS)
      .describe('Each becomes an asset of its own; none is listed twice'),
  })
  .meta({ id: 'CreateDeposit' });

type DepositRequest = z.output<typeof CreateDeposit>;

/** The listed assets as domain input. Throws INVALID_ASSET_NAME and INVALID_REQUEST, which name `assets.<position>.<field>`. */
export function parseDepositedAssets({ assets }: DepositRequest): AssetParams[] {
  const listed = new Set<string>();
  return assets.map((asset, position) => {
    try {
      const params = parseRequestedAsset(asset);
      if (listed.has(unitOf(params))) throw fieldError('INVALID_REQUEST', 'assetName', 'The asset is listed twice');
      listed.add(unitOf(params));
      return params;
    } catch (cause) {
      throw errorOfListedAsset(cause, position);
    }
  });
}
