import { type BaseUnits, type Lovelace, baseUnits, lovelace, FULL_SHARE } from '../../platform/units/money.ts';
import { fdvOf } from './fdv-bounds.ts';
import { largestRemainder } from './largest-remainder.ts';
import type { DistributionInput } from './distribution-input.ts';

/** What the deposits add up to, whether or not they settle. */
export interface DistributionFigures {
  readonly value: Lovelace;
  readonly invested: Lovelace;
  /** Fully diluted valuation: what the whole supply costs at the investors' price. */
  readonly fdv: Lovelace;
  readonly reserveRequired: Lovelace;
  readonly reserveMet: boolean;
  readonly lpLovelace: Lovelace;
  readonly lpFt: BaseUnits;
}

export interface InvestorShare {
  readonly id: string;
  readonly wallet: string;
  readonly ft: BaseUnits;
}

export interface ContributorShare extends InvestorShare {
  readonly lovelace: Lovelace;
}

/** 2 ADA: no exchange opens a pool with less. */
export const minLiquidity = lovelace(2_000_000n);

export type DistributionFailure = 'no_assets' | 'reserve_not_reached' | 'lp_below_minimum';

export type Distribution =
  | (DistributionFigures & { readonly kind: 'fails'; readonly reason: DistributionFailure })
  | (DistributionFigures & {
      readonly kind: 'settles';
      readonly investors: readonly InvestorShare[];
      readonly contributors: readonly ContributorShare[];
      readonly investorsFt: BaseUnits;
      readonly contributorsFt: BaseUnits;
      readonly contributorsLovelace: Lovelace;
    });

/**
 * Who gets what when a vault settles, to the last unit: FT add up to the supply, lovelace to what was invested (design D13).
 * Throws RangeError for terms no vault can have (no FT for investors, or a liquidity share above their investments).
 */
export function distribute(input: DistributionInput): Distribution {
  const figures = figuresOf(input);
  const reason = failureOf(figures, input.lpMinimum);
  if (reason) return { kind: 'fails', reason, ...figures };

  const shared = input.supply - figures.lpFt;
  const investorsFt = (shared * input.ftPercentage) / FULL_SHARE;
  const contributorsFt = shared - investorsFt;
  const contributorsLovelace = figures.invested - figures.lpLovelace;

  const invested = input.investors.map(({ id, at, lovelace: weight }) => ({ id, at, weight }));
  const contributed = input.contributors.map(({ id, at, value: weight }) => ({ id, at, weight }));
  const boughtFt = largestRemainder(investorsFt, invested);
  const keptFt = largestRemainder(contributorsFt, contributed);
  const proceeds = largestRemainder(contributorsLovelace, contributed);

  return {
    kind: 'settles',
    ...figures,
    investorsFt: baseUnits(investorsFt),
    contributorsFt: baseUnits(contributorsFt),
    contributorsLovelace: lovelace(contributorsLovelace),
    investors: input.investors.map(({ id, wallet }, i) => ({ id, wallet, ft: baseUnits(boughtFt[i] ?? 0n) })),
    contributors: input.contributors.map(({ id, wallet }, i) => ({
      id,
      wallet,
      ft: baseUnits(keptFt[i] ?? 0n),
      lovelace: lovelace(proceeds[i] ?? 0n),
    })),
  };
}

/** The liquidity share of the invested ADA. Computed from it directly, so that the rounding of the FDV does not affect the pool. */
export function liquidityLovelace(
  invested: bigint,
  { ftPercentage, lpPercentage }: Pick<DistributionInput, 'ftPercentage' | 'lpPercentage'>,
): Lovelace {
  return lovelace((invested * lpPercentage) / (2n * ftPercentage));
}

function figuresOf({ supply, ftPercentage, lpPercentage, reserve, contributors, investors }: DistributionInput) {
  if (ftPercentage === 0n || ftPercentage > FULL_SHARE)
    throw new RangeError('investors need a share between 0 and 100 %');
  if (lpPercentage > 2n * ftPercentage) throw new RangeError('the liquidity share is larger than the investments');

  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  const invested = investors.reduce((sum, investment) => sum + investment.lovelace, 0n);
  // Not from the counted values: who takes small assets out would lower the values of the others, and the reserve with them.
  const ownValue = contributors.reduce((sum, contribution) => sum + (contribution.ownValue ?? contribution.value), 0n);
  const reserveRequired = ceilDiv(ownValue * ftPercentage * reserve, FULL_SHARE * FULL_SHARE);
  return {
    value: lovelace(value),
    invested: lovelace(invested),
    fdv: fdvOf(invested, ftPercentage),
    reserveRequired: lovelace(reserveRequired),
    reserveMet: invested > 0n && invested >= reserveRequired,
    lpLovelace: liquidityLovelace(invested, { ftPercentage, lpPercentage }),
    lpFt: baseUnits((supply * lpPercentage) / (2n * FULL_SHARE)),
  } satisfies DistributionFigures;
}

function failureOf(figures: DistributionFigures, lpMinimum: Lovelace | undefined): DistributionFailure | undefined {
  // Assets of no value cannot be shared by value, so the vault fails as if it had none.
  if (figures.value === 0n) return 'no_assets';
  if (!figures.reserveMet) return 'reserve_not_reached';
  if (lpMinimum !== undefined && figures.lpLovelace < lpMinimum) return 'lp_below_minimum';
  return undefined;
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
