import { countAssets } from './counted-assets.ts';
import type { DepositKind } from './deposit-kind.ts';
import { type Distribution, distribute } from './distribution.ts';
import type { Contribution, DistributionInput, SettlementInput } from './distribution-input.ts';
import { judgeFdv } from './fdv-bounds.ts';

/** Why an investment of a vault that settles goes back to its owner (design D41). */
export const investmentReturnReasons = ['value_below_bound', 'fdv_above_bound', 'share_below_one_unit'] as const;
export type InvestmentReturnReason = (typeof investmentReturnReasons)[number];

/** Why a deposit of a vault that settles goes back to its owner (design D12, D41). */
export const returnReasons = [...investmentReturnReasons, 'share_of_value_capped'] as const;
export type AssetReturnReason = Extract<
  (typeof returnReasons)[number],
  'share_below_one_unit' | 'share_of_value_capped'
>;

interface Returned<Kind extends DepositKind, Reason> {
  readonly id: string;
  readonly wallet: string;
  readonly depositKind: Kind;
  readonly reason: Reason;
}
type ReturnedInvestment = Returned<'investment', InvestmentReturnReason>;
type ReturnedAsset = Returned<'asset', AssetReturnReason>;

/** A deposit that goes back to its owner and counts in nothing. */
export type ReturnedDeposit = ReturnedInvestment | ReturnedAsset;

type Settles = Extract<Distribution, { kind: 'settles' }>;

/** `returned` are the deposits that go back, `counted` the assets that stay, with the values they count with. */
export type CountedDistribution =
  | Exclude<Distribution, Settles>
  | (Settles & { readonly returned: readonly ReturnedDeposit[]; readonly counted: readonly Contribution[] });

/**
 * Who gets what when a vault settles, among the deposits that count. Assets that count with too little of their value, investments
 * whose bound is above the value or below the FDV, and deposits whose share is no unit, go back to their owners (design D41).
 */
export function distributeToCounted(input: SettlementInput): CountedDistribution {
  let smallAssets: readonly ReturnedAsset[] = [];
  let smallInvestments: readonly ReturnedInvestment[] = [];
  for (;;) {
    const { counted, returned } = withinBounds(without(input, [...smallAssets, ...smallInvestments]));
    const distribution = distribute(counted);
    if (distribution.kind === 'fails') return distribution;
    const assets = withoutShare(distribution.contributors).map(smallAsset);
    const investments = withoutShare(distribution.investors).map(smallInvestment);
    if (assets.length > 0) {
      smallAssets = [...smallAssets, ...assets];
      // The value is lower now: an investment that has left too little to others may be out of its bound.
      smallInvestments = [];
    } else if (investments.length > 0) {
      smallInvestments = [...smallInvestments, ...investments];
    } else {
      const all = [...returned, ...smallInvestments, ...smallAssets];
      return { ...distribution, returned: all, counted: counted.contributors };
    }
  }
}

interface CountedInput {
  readonly counted: DistributionInput;
  readonly returned: readonly ReturnedDeposit[];
}

/** What counts when the values of the assets, then the bound on their sum, then that on the FDV have been judged, in this order. */
function withinBounds(input: SettlementInput): CountedInput {
  const { counted: contributors, capped } = countAssets(input.contributors, input.maxShare);
  const valued: DistributionInput = { ...input, contributors };
  const tooPoor = belowBound(valued);
  const worthIt = without(valued, tooPoor);
  const tooDear = aboveBound(worthIt);
  return { counted: without(worthIt, tooDear), returned: [...capped.map(cappedAsset), ...tooPoor, ...tooDear] };
}

/** The investments whose bound is above what the assets are worth. */
function belowBound({ contributors, investors }: DistributionInput): ReturnedInvestment[] {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  return investors
    .filter(({ minVaultValue }) => minVaultValue !== undefined && minVaultValue > value)
    .map(({ id, wallet }) => ({ id, wallet, depositKind: 'investment', reason: 'value_below_bound' }));
}

/** The investments that would pay a higher FDV than they allow. */
function aboveBound({ investors, ftPercentage }: DistributionInput): ReturnedInvestment[] {
  const { above } = judgeFdv(investors, ftPercentage);
  return investors
    .filter(({ id }) => above.has(id))
    .map(({ id, wallet }) => ({ id, wallet, depositKind: 'investment', reason: 'fdv_above_bound' }));
}

interface Share {
  readonly id: string;
  readonly wallet: string;
  readonly ft: bigint;
  readonly lovelace?: bigint;
}

/** The shares of less than one unit of anything. */
function withoutShare(shares: readonly Share[]): Share[] {
  return shares.filter(({ ft, lovelace = 0n }) => ft === 0n && lovelace === 0n);
}

function smallAsset({ id, wallet }: Share): ReturnedAsset {
  return { id, wallet, depositKind: 'asset', reason: 'share_below_one_unit' };
}

function cappedAsset({ id, wallet }: Contribution): ReturnedAsset {
  return { id, wallet, depositKind: 'asset', reason: 'share_of_value_capped' };
}

function smallInvestment({ id, wallet }: Share): ReturnedInvestment {
  return { id, wallet, depositKind: 'investment', reason: 'share_below_one_unit' };
}

/** What the other deposits add up to. */
function without<Input extends DistributionInput | SettlementInput>(
  input: Input,
  returned: readonly ReturnedDeposit[],
): Input {
  if (returned.length === 0) return input;
  const ids = new Set(returned.map(({ id }) => id));
  const stays = ({ id }: { readonly id: string }) => !ids.has(id);
  return { ...input, contributors: input.contributors.filter(stays), investors: input.investors.filter(stays) };
}
