import { transitions } from '../../platform/states/transitions.ts';

/** One native asset: a policy and a name in hex. */
export interface AssetClass {
  readonly policyId: string;
  readonly assetName: string;
}

/** The asset as the ledger and price lists name it: its policy id followed by its name. */
export function unitOf({ policyId, assetName }: AssetClass): string {
  return policyId + assetName;
}

export const assetTypes = ['NFT', 'CNT'] as const;
/** What an asset is on the ledger: unique or fungible. Registered types have one of these as their base (asset-type.ts). */
export type AssetType = (typeof assetTypes)[number];

/** Whether an asset of this supply (base units on the ledger) is an NFT (design D42). */
export function isUnique(supply: bigint): boolean {
  return supply === 1n;
}

export const assetStatuses = ['PENDING', 'LOCKED', 'RELEASED'] as const;
export type AssetStatus = (typeof assetStatuses)[number];

/**
 * Why an asset is not in its vault: it never arrived, the ledger rejected it, it was removed while the window was open, a failed
 * vault returned it, its owner took it back alone after T, an executed proposal sold it, another deposit of the same NFT was on
 * the ledger before it, its wallet sent it to a vault without a place left, its share in the settlement was no unit, it would have counted with too
 * little of its value, or its vault gave it to a named wallet when it ended.
 */
export const assetReleaseReasons = [
  'expired',
  'failed',
  'removed',
  'refunded',
  'reclaimed',
  'sold',
  'duplicate',
  'vault_full',
  'share_below_one_unit',
  'share_of_value_capped',
  'handed_over',
] as const;
export type AssetReleaseReason = (typeof assetReleaseReasons)[number];

/** Why an asset that is on the ledger never counted in its vault: what it brought is unsolicited, and goes back. */
export const unsolicitedReasons = ['duplicate', 'vault_full'] as const satisfies readonly AssetReleaseReason[];
export type UnsolicitedReason = (typeof unsolicitedReasons)[number];

export function isUnsolicited({ releaseReason }: { readonly releaseReason: AssetReleaseReason | null }): boolean {
  return unsolicitedReasons.some((reason) => reason === releaseReason);
}

/** The next status of an asset. Throws INVALID_TRANSITION. RELEASED → LOCKED undoes a removal or refund that was rolled back. */
export const assetTransition = transitions<AssetStatus>(
  'asset',
  { PENDING: ['LOCKED', 'RELEASED'], LOCKED: ['RELEASED'], RELEASED: [] },
  { LOCKED: ['PENDING'], RELEASED: ['LOCKED'] },
);

/** The most assets that a vault can accept (spec, "Validation bounds"). */
export const maxAssetsPerVault = 100;
