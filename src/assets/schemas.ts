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
    NFT: 'a token of which the ledger has one base unit in all',
    CNT: 'any other token, in a quantity',
  },
  'any other: a registered type; `assetTypeRules` of the vault has its rules',
);

const AssetStatusEnum = enumSchema('AssetStatus', assetStatuses, {
  PENDING: 'the transaction that adds it waits for its signature or for a block',
  LOCKED: 'in the vault',
  RELEASED: 'not in the vault; `releaseReason` says why',
});

const AssetReleaseReasonEnum = enumSchema('AssetReleaseReason', assetReleaseReasons, {
  expired: 'its transaction was not signed or not in a block in time, or another attempt superseded it',
  failed: 'the ledger rejected its transaction for good',
  removed: 'returned while the asset window was open',
  refunded: 'returned because the vault failed',
  reclaimed: 'taken back by its owner after `settlesBy`, without the platform',
  sold: 'sold by an executed proposal',
  duplicate: 'an earlier deposit of the same NFT is in a vault; this one is unsolicited and goes back to its owner',
  vault_full:
    'its wallet sent it itself when the vault had no place left; it is unsolicited and goes back to its owner',
  share_below_one_unit: 'returned by the settlement, because its share was less than one base unit',
  share_of_value_capped:
    'returned by the settlement, because it would have counted with less than 80 % of its value under `assetSettings.maxShare`',
  handed_over: 'given to the wallet that was named for it when the vault ended',
});

export const ValuationMethodEnum = enumSchema('ValuationMethod', valuationMethods, {
  floor_price: 'for an NFT: its price according to the price source',
  dex_price: 'for a CNT: the price of a whole token according to the price source',
  custom: 'the price that the admin of the vault has set, one of its `customPrices`',
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

const ResponseAssetMetadata = z.looseObject({
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
    metadata: ResponseAssetMetadata,
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
    metadata: asset.metadata as z.input<typeof ResponseAssetMetadata>,
    ownerScript: asset.deliveryDeposit > 0n ? depositOwnerScript(guard, asset.owner, networkId) : null,
  };
}
