import { z } from 'zod';
import type { ReadAsset } from './read-assets.ts';
import { assetReleaseReasons, assetStatuses, assetTypes } from './rules/asset.ts';
import { type AssetParams, parseRequestedAsset } from './rules/requested-asset.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import {
  priceTimeText,
  enumSchema,
  openEnumSchema,
  AddressText,
  AssetNameText,
  CaseInsensitive,
  PolicyId,
  TokenAmount,
  TypeName,
  visibleLines,
  visibleText,
  visibleUrl,
  AmountText,
  BaseUnitsText,
  Timestamp,
  WholeTokens,
} from '../platform/http/fields.ts';
import { isoText } from '../platform/units/time.ts';
import { printTokenAmount } from '../platform/units/money.ts';
import { valuationMethods } from '../prices/rules/valuation-method.ts';
import { exampleDepositScript, contributor } from '../transactions/routes/examples.ts';
import { depositOwnerScript, OwnerScript, type WithOwnerScript } from '../transactions/routes/owner-script.ts';
import { StakeAddressText, WalletUtxos } from '../transactions/routes/wallet-funds.ts';

export const AssetTypeName = openEnumSchema(
  'AssetType',
  assetTypes,
  {
    NFT: 'a token with a total supply of one base unit',
    CNT: 'any other token, with a quantity',
  },
  'any other name: a registered type. Its rules are in `assetTypeRules` of the vault.',
);

const AssetStatusEnum = enumSchema('AssetStatus', assetStatuses, {
  PENDING: 'the transaction that adds it waits for its signature or for a block',
  LOCKED: 'in the vault',
  RELEASED: 'not in the vault. `releaseReason` says why.',
});

const AssetReleaseReasonEnum = enumSchema('AssetReleaseReason', assetReleaseReasons, {
  expired: 'its transaction was not signed or not in a block in time, or another attempt replaced it',
  failed: 'the ledger rejected its transaction',
  removed: 'returned while the asset window was open',
  refunded: 'returned because the vault failed',
  reclaimed: 'taken back by its owner after `settlesBy`, without the platform',
  sold: 'sold by an executed proposal',
  duplicate: 'the same NFT was already in a vault. It is unsolicited and returns to its owner.',
  vault_full: 'its wallet submitted it when the vault was full. It is unsolicited and returns to its owner.',
  share_below_one_unit: 'returned by the settlement, because its share was less than one base unit',
  share_of_value_capped:
    'returned by the settlement, because it would have counted with less than 80 % of its value under `assetSettings.maxShare`',
  handed_over: 'given to the wallet that was named for it when the vault ended',
});

export const ValuationMethodEnum = enumSchema('ValuationMethod', valuationMethods, {
  floor_price: 'price of the NFT according to the price source',
  dex_price: 'price of a whole CNT according to the price source',
  custom: 'price that the admin of the vault has set in `customPrices`',
});

const WebOrIpfsUrl = visibleUrl(/^(https?|ipfs)$/, 'Must be an http, https or ipfs URL.', 2000);

export const AssetMetadata = z.strictObject({
  creator: visibleText(200).optional(),
  legal_proof: WebOrIpfsUrl.optional(),
  name: visibleText(200).optional(),
  description: visibleLines(5000).optional(),
  image_url: WebOrIpfsUrl.optional(),
  category: visibleText(50).optional(),
});

export const assetTypeText =
  '`NFT`, `CNT` or one of the other `assetTypes` of the vault. Not case-sensitive. Default: CNT if there is a ' +
  'quantity, or if the asset name has label 333 or 444 (CIP-68). Otherwise NFT.';

export const ValuationMethodText = CaseInsensitive(valuationMethods)
  .describe(
    '`floor_price`, `dex_price` or `custom`. Not case-sensitive. Default: the method of the type. Use `custom` ' +
      'for an asset with a price in `customPrices` of the vault.',
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

/** The asset of the request. */
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

// Recorded on a development stack.

const assetExample = {
  assetId: '01a1ffab-83c3-7331-9786-026c1c193573',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  type: 'NFT',
  contractAddress: '7cd008e80052b1c34e30100f278b0b6b280a051078d9e007b64592fc',
  tokenId: '486172626f75724c6f6674303031',
  assetNameHex: '486172626f75724c6f6674303031',
  quantity: 1,
  quantityBaseUnits: '1',
  decimals: 0,
  floorPrice: 250000000,
  lastValuation: '2026-11-22T19:54:07.310Z',
  priceSource: 'embedded',
  currentValue: '250000000',
  settledValue: '250000000',
  valuationMethod: 'floor_price',
  status: 'LOCKED',
  leaving: false,
  releaseReason: null,
  stakingAddress: null,
  deliveryDeposit: '3000000',
  addedBy: contributor,
  addedAt: '2026-11-22T19:54:07.318Z',
  lockedAt: '2026-11-22T19:54:08.125Z',
  updatedAt: '2026-11-22T19:54:08.125Z',
  metadata: { name: 'HarbourLoft001', imageUrl: '', attributes: { creator: 'Harbour Studio' }, description: '' },
  ownerScript: exampleDepositScript(contributor),
};

export const addAssetExamples = {
  nft: {
    policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456',
    asset_name: 'HarbourLoft001',
    valuation_method: 'floor_price',
    metadata: { creator: 'Harbour Studio', legal_proof: 'https://harbour.example/deed.pdf' },
  },
  cnt: {
    policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456',
    asset_name: 'Harbour',
    type: 'CNT',
    quantity: '2500.5',
  },
} as const;

const AssetMetadataResource = z.looseObject({
  name: z.string(),
  description: z.string().describe('Empty if none was given.'),
  imageUrl: z.string().describe('Empty if none was given.'),
  category: z.string().describe('Omitted if none was given.').optional(),
  attributes: z
    .looseObject({})
    .describe(
      '`creator` and `legal_proof` of the request. For an asset that the vault bought, `boughtBy` is the ID of the proposal.',
    ),
});

/** The spec's Asset, as lists return it. */
export const AssetResource = z
  .object({
    assetId: z.uuid(),
    vaultId: z.uuid(),
    type: AssetTypeName,
    contractAddress: z.string().describe('Policy ID of the asset.'),
    tokenId: z.string().describe('Asset name in hex.'),
    assetNameHex: z.string().describe('Same as `tokenId`. To use it in a request, put `0x` before it.'),
    quantity: WholeTokens,
    quantityBaseUnits: BaseUnitsText,
    decimals: z.int().describe('Decimals of the asset according to its price source. 0 for an NFT.'),
    floorPrice: z.number().describe('Price in lovelace. Omitted for a CNT.').optional(),
    dexPrice: z.number().describe('Lovelace for one whole token. Omitted for an NFT.').optional(),
    lastValuation: Timestamp.describe(priceTimeText),
    priceSource: z.string().describe('Source of the price, as named by the price source. `admin` for a custom price.'),
    currentValue: AmountText.describe(
      'Value of the asset in the vault, in lovelace: price × quantity × `assetSettings.floorPricePercentage`.',
    ),
    settledValue: AmountText.nullable().describe(
      'Lovelace that the settlement counted for the asset. `null` before the settlement, or if the asset did not count.',
    ),
    valuationMethod: ValuationMethodEnum,
    status: AssetStatusEnum,
    leaving: z.boolean().describe('Whether the asset is being returned.'),
    releaseReason: AssetReleaseReasonEnum.nullable().describe('`null` unless the asset is RELEASED.'),
    stakingAddress: z
      .string()
      .nullable()
      .describe('Address at which the vault has staked the asset. `null` while it is not staked.'),
    deliveryDeposit: AmountText.describe(
      'Lovelace sent with the asset. It pays for the delivery or return, and the owner gets the rest back.',
    ),
    addedBy: z.string().describe('Wallet that added the asset, or sold it to the vault.'),
    addedAt: Timestamp.describe('Time at which the asset was recorded.'),
    lockedAt: Timestamp.describe(
      'Time at which the transaction that added the asset was found in a block. Omitted before.',
    ).optional(),
    releasedAt: Timestamp.describe('Time of the release. Omitted unless the asset is RELEASED.').optional(),
    updatedAt: Timestamp.describe('Time at which its status or its address last changed.'),
    metadata: AssetMetadataResource,
    ownerScript: OwnerScript.nullable().describe(
      'Script of the deposit. `null` for an asset that the vault has bought.',
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
    metadata: asset.metadata as z.input<typeof AssetMetadataResource>,
    ownerScript: asset.deliveryDeposit > 0n ? depositOwnerScript(guard, asset.owner, networkId) : null,
  };
}
