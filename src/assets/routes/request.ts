import { z } from 'zod';
import { valuationMethods } from '../../prices/rules/valuation-method.ts';
import type { AssetParams } from '../rules/asset-params.ts';
import { parseRequestedAsset } from '../rules/requested-asset.ts';
import {
  AddressText,
  AssetNameText,
  CaseInsensitive,
  PolicyId,
  TokenAmount,
  TypeName,
  visibleLines,
  visibleText,
  visibleUrl,
} from '../../platform/http/fields.ts';
import { StakeAddressText, WalletUtxos } from '../../transactions/routes/wallet-funds.ts';

const WebOrIpfsUrl = visibleUrl(/^(https?|ipfs)$/, 'Must be a URL of http, https or ipfs', 2000);

export const AssetMetadata = z.strictObject({
  creator: visibleText(200).optional(),
  legal_proof: WebOrIpfsUrl.optional(),
  name: visibleText(200).optional(),
  description: visibleLines(5000).optional(),
  image_url: WebOrIpfsUrl.optional(),
  category: visibleText(50).optional(),
});

export const assetTypeText =
  '`NFT`, `CNT` or one of the other `assetTypes` of the vault. Not case-sensitive. Default: CNT if there is a quantity or the name of the asset has label 333 or 444 (CIP-68), else NFT';

export const ValuationMethodText = CaseInsensitive(valuationMethods)
  .describe(
    '`floor_price`, `dex_price` or `custom`. Not case-sensitive. `custom` for an asset with a price among the `customPrices` of the vault; else ' +
      'the method of its type, the default',
  )
  .optional();

/** Body of POST /vaults/{vaultId}/assets: the spec's fields, and the additive ones of design D16. */
export const AddAsset = z
  .strictObject({
    policy_id: PolicyId,
    asset_name: AssetNameText,
    valuation_method: ValuationMethodText,
    metadata: AssetMetadata.default({}),
    type: TypeName.describe(assetTypeText).optional(),
    quantity: TokenAmount.optional(),
    wallet_address: AddressText.optional(),
    utxos: WalletUtxos,
    stake_address: StakeAddressText,
  })
  .meta({ id: 'AddAsset' });

type AssetRequest = z.output<typeof AddAsset>;

/** The asset of the request. Throws INVALID_ASSET_NAME and INVALID_REQUEST. */
export function parseAddAsset({ metadata, ...body }: AssetRequest): AssetParams {
  const { legal_proof: legalProof, image_url: imageUrl, ...shared } = metadata;
  const requested = {
    policyId: body.policy_id,
    assetName: body.asset_name,
    type: body.type,
    quantity: body.quantity,
    valuationMethod: body.valuation_method,
    metadata: { ...shared, legalProof, imageUrl },
  };
  return parseRequestedAsset(requested, { assetName: 'asset_name', valuationMethod: 'valuation_method' });
}
