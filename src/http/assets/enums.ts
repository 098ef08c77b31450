import { assetReleaseReasons, assetStatuses, assetTypes } from '../../domain/asset/asset.ts';
import { enumSchema } from '../server/enums.ts';

export const AssetTypeEnum = enumSchema('AssetType', assetTypes, {
  NFT: 'one indivisible unit',
  CNT: 'a fungible token, in a quantity',
});

export const AssetStatusEnum = enumSchema('AssetStatus', assetStatuses, {
  PENDING: 'the transaction that brings it is in no block yet, or waits for its signature',
  LOCKED: 'in the vault',
  RELEASED: 'not in the vault; `releaseReason` says why',
});

export const AssetReleaseReasonEnum = enumSchema('AssetReleaseReason', assetReleaseReasons, {
  expired: 'its transaction was not signed, or not in a block, in time, or gave way to another attempt',
  failed: 'the ledger refused its transaction for good',
  removed: 'returned while the asset window was open',
  refunded: 'returned by the vault, which failed',
  reclaimed: 'taken back by its owner alone after `settlesBy`',
  sold: 'by an executed proposal',
});

export const ValuationMethodEnum = enumSchema('ValuationMethod', ['floor_price', 'dex_price', 'custom'], {
  floor_price: 'an NFT, by what its price source says it is worth',
  dex_price: 'a CNT, by what its price source says a whole token is worth',
  custom: 'kept for prices set by hand; no asset has it yet',
});
