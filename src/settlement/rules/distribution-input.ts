import type { PricedAsset, ValuedAsset } from '../../prices/rules/priced-asset.ts';
import type { BoundedInvestment } from './fdv-bounds.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { BasisPoints, BaseUnits, Lovelace } from '../../platform/units/money.ts';

/** A contributed asset and the value that it counts with. */
export interface Contribution {
  readonly id: string;
  readonly wallet: string;
  readonly value: Lovelace;
  /** Its value before `max_share`; undefined is `value`. */
  readonly ownValue?: Lovelace;
  readonly at: Instant;
}

/** A contributed asset with the value of all of it, and what limits with how much it counts. */
export interface OwnContribution extends Omit<Contribution, 'ownValue'> {
  readonly policyId: string;
  /** Hex; undefined is another one than those of all others. */
  readonly assetName?: string;
  /** The most with which all deposits of the asset count; undefined sets no limit. */
  readonly marketLimit?: Lovelace | undefined;
  /** The time of the block that has it; null and undefined before. */
  readonly lockedAt?: Instant | null;
}

/** An investment. */
export interface Investment extends BoundedInvestment {
  readonly id: string;
  readonly wallet: string;
  /** It counts only if the assets are worth this (design D41); 0 and undefined set no bound. */
  readonly minVaultValue?: Lovelace;
  readonly at: Instant;
}

/** Everything that the shares in a settlement depend on; percentages are those of the vault's terms. */
export interface DistributionInput {
  readonly supply: BaseUnits;
  readonly ftPercentage: BasisPoints;
  readonly lpPercentage: BasisPoints;
  readonly reserve: BasisPoints;
  readonly contributors: readonly Contribution[];
  readonly investors: readonly Investment[];
  /** A smaller ADA side of the liquidity share fails the vault. */
  readonly lpMinimum?: Lovelace;
}

/** What a settlement starts from: it still has to judge which deposits count, and with which values. */
export interface SettlementInput extends Omit<DistributionInput, 'contributors'> {
  readonly contributors: readonly OwnContribution[];
  /** The largest share of what all assets count with that those of one policy may have. */
  readonly maxShare: BasisPoints;
}

/** The part of `DistributionInput` that a stored plan can be revised from. */
export type PlannedInput = Pick<DistributionInput, 'ftPercentage' | 'lpPercentage' | 'contributors'>;

interface ContributedAsset extends ValuedAsset {
  readonly id: string;
  /** Wallet. */
  readonly owner: string;
  readonly addedAt: Instant;
  readonly lockedAt: Instant | null;
}

/** What an asset contributes to a settlement. */
export function contributionOf({ asset, price, value }: PricedAsset<ContributedAsset>): OwnContribution {
  const { id, owner: wallet, policyId, assetName, addedAt: at, lockedAt } = asset;
  return { id, wallet, policyId, assetName, marketLimit: price.marketLimit, value, at, lockedAt };
}

interface StoredInvestment extends Omit<Required<Investment>, 'at'> {
  readonly createdAt: Instant;
}

/** What a stored investment contributes to a settlement. */
export function investmentOf({ id, wallet, lovelace, minVaultValue, maxFdv, createdAt }: StoredInvestment): Investment {
  return { id, wallet, lovelace, minVaultValue, maxFdv, at: createdAt };
}
