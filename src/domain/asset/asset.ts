import { type BaseUnits } from '../units/money.ts';
import { transitions } from '../transitions.ts';

export const assetTypes = ['NFT', 'CNT'] as const;
export type AssetType = (typeof assetTypes)[number];

export const assetStatuses = ['PENDING', 'LOCKED', 'RELEASED'] as const;
export type AssetStatus = (typeof assetStatuses)[number];

/**
 * Why an asset is not in its vault: never arrived, refused by the ledger, given back while the window was open, returned by a
 * failed vault, taken back by its owner alone after T, or sold by an executed proposal.
 */
export const assetReleaseReasons = ['expired', 'failed', 'removed', 'refunded', 'reclaimed', 'sold'] as const;
export type AssetReleaseReason = (typeof assetReleaseReasons)[number];

/** The next status of an asset; throws INVALID_TRANSITION. RELEASED → LOCKED undoes a removal or refund that was rolled back. */
export const assetTransition = transitions<AssetStatus>(
  'asset',
  { PENDING: ['LOCKED', 'RELEASED'], LOCKED: ['RELEASED'], RELEASED: [] },
  { LOCKED: ['PENDING'], RELEASED: ['LOCKED'] },
);

/** No vault takes more assets than this (spec, "Validation bounds"). */
export const maxAssetsPerVault = 100;
/** Whether a fungible asset may come in this quantity: 1 to 1,000,000 whole tokens (spec, "Validation bounds"). */
export function isCntQuantity(quantity: BaseUnits, decimals: number): boolean {
  const token = 10n ** BigInt(decimals);
  return quantity >= token && quantity <= 1_000_000n * token;
}
