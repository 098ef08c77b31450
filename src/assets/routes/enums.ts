import { assetReleaseReasons, assetStatuses, assetTypes } from '../rules/asset.ts';
import { valuationMethods } from '../../prices/rules/valuation-method.ts';
import { enumSchema, openEnumSchema } from '../../platform/http/enums.ts';

export const AssetTypeName = openEnumSchema(
  'AssetType',
  assetTypes,
  {
    NFT: 'a token of which the ledger has one base unit in all',
    CNT: 'any other token, in a quantity',
  },
  'any other: a registered type; `assetTypeRules` of the vault has its rules',
);

export const AssetStatusEnum = enumSchema('AssetStatus', assetStatuses, {
  PENDING: 'the transaction that adds it waits for its signature or for a block',
  LOCKED: 'in the vault',
  RELEASED: 'not in the vault; `releaseReason` says why',
});

export const AssetReleaseReasonEnum = enumSchema('AssetReleaseReason', assetReleaseReasons, {
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
