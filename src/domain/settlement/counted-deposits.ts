import type { DepositKind } from './deposit-kind.ts';
import { type Distribution, distribute } from './distribution.ts';
import type { DistributionInput } from './distribution-input.ts';
import { highestBrokenBound, isWithinFdv } from './fdv-bounds.ts';

/** Why a deposit of a vault that settles goes back to its owner (design D41). */
export const returnReasons = ['value_below_bound', 'fdv_above_bound', 'share_below_one_unit'] as const;
export type ReturnReason = (typeof returnReasons)[number];

/** Assets have no bound. */
export type AssetReturnReason = Extract<ReturnReason, 'share_below_one_unit'>;

/** A deposit that goes back to its owner and counts in nothing. */
export interface ReturnedDeposit {
  readonly id: string;
  readonly wallet: string;
  readonly depositKind: DepositKind;
  readonly reason: ReturnReason;
}

type Settles = Extract<Distribution, { kind: 'settles' }>;

export type CountedDistribution =
  Exclude<Distribution, Settles> | (Settles & { readonly returned: readonly ReturnedDeposit[] });

/**
 * Who gets what when a vault settles, among the deposits that count. Investments whose bound is above the value or below the FDV,
 * and deposits whose share is no unit, go back to their owners (design D41).
 */
export function distributeToCounted(input: DistributionInput): CountedDistribution {
  let staying = input;
  const returned: ReturnedDeposit[] = [];
  const giveBack = (deposits: readonly ReturnedDeposit[]) => {
    returned.push(...deposits);
    staying = withoutReturned(staying, deposits);
  };
  for (;;) {
    giveBack(belowBound(staying));
    // Judged anew in each round: the FDV falls when others go back.
    const tooDear = aboveBound(staying);
    const counted = withoutReturned(staying, tooDear);
    const distribution = distribute(counted);
    if (distribution.kind === 'fails') return distribution;
    const { investors, contributors } = distribution;
    const tooSmall = [...withoutShare(investors, 'investment'), ...withoutShare(contributors, 'asset')];
    if (tooSmall.length === 0) return { ...distribution, returned: [...returned, ...tooDear] };
    // What is left is worth less, so a bound may be above it now.
    giveBack(tooSmall);
  }
}

/** The investments whose bound is above what the assets are worth. */
function belowBound({ contributors, investors }: DistributionInput): ReturnedDeposit[] {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  return investors
    .filter(({ minVaultValue }) => minVaultValue !== undefined && minVaultValue > value)
    .map(({ id, wallet }) => ({ id, wallet, depositKind: 'investment', reason: 'value_below_bound' }));
}

/** The investments that would pay a higher FDV than they allow. */
function aboveBound({ investors, ftPercentage }: DistributionInput): ReturnedDeposit[] {
  const broken = highestBrokenBound(investors, ftPercentage);
  return investors
    .filter((investment) => !isWithinFdv(investment, broken))
    .map(({ id, wallet }) => ({ id, wallet, depositKind: 'investment', reason: 'fdv_above_bound' }));
}

interface Share {
  readonly id: string;
  readonly wallet: string;
  readonly ft: bigint;
  readonly lovelace?: bigint;
}

/** The deposits whose shares are less than one unit of anything. */
function withoutShare(shares: readonly Share[], depositKind: DepositKind): ReturnedDeposit[] {
  return shares
    .filter(({ ft, lovelace = 0n }) => ft === 0n && lovelace === 0n)
    .map(({ id, wallet }) => ({ id, wallet, depositKind, reason: 'share_below_one_unit' }));
}

/** What the other deposits add up to. */
function withoutReturned(input: DistributionInput, returned: readonly ReturnedDeposit[]): DistributionInput {
  if (returned.length === 0) return input;
  const ids = new Set(returned.map(({ id }) => id));
  const stays = ({ id }: { readonly id: string }) => !ids.has(id);
  return { ...input, contributors: input.contributors.filter(stays), investors: input.investors.filter(stays) };
}
