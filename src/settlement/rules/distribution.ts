import type { Instant } from '../../platform/units/time.ts';
import {
  type BasisPoints,
  type BaseUnits,
  type Lovelace,
  baseUnits,
  lovelace,
  FULL_SHARE,
} from '../../platform/units/money.ts';
import type { PricedAsset, ValuedAsset } from '../../prices/rules/priced-asset.ts';
import { type BoundedInvestment, fdvOf } from './fdv-bounds.ts';

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

/** What a settlement starts from: it still has to decide which deposits count, and with which values. */
export interface SettlementInput extends Omit<DistributionInput, 'contributors'> {
  readonly contributors: readonly OwnContribution[];
  /** The largest share of what all assets count with that those of one policy may have. */
  readonly maxShare: BasisPoints;
}

/** The part of `DistributionInput` that a stored plan can be revised from. */
type PlannedInput = Pick<DistributionInput, 'ftPercentage' | 'lpPercentage' | 'contributors'>;

interface ContributedAsset extends ValuedAsset {
  readonly id: string;
  /** Wallet. */
  readonly owner: string;
  readonly addedAt: Instant;
  readonly lockedAt: Instant | null;
}

export function contributionOf({ asset, price, value }: PricedAsset<ContributedAsset>): OwnContribution {
  const { id, owner: wallet, policyId, assetName, addedAt: at, lockedAt } = asset;
  return { id, wallet, policyId, assetName, marketLimit: price.marketLimit, value, at, lockedAt };
}

interface StoredInvestment extends Omit<Required<Investment>, 'at'> {
  readonly createdAt: Instant;
}

export function investmentOf({ id, wallet, lovelace, minVaultValue, maxFdv, createdAt }: StoredInvestment): Investment {
  return { id, wallet, lovelace, minVaultValue, maxFdv, at: createdAt };
}

/** What the deposits add up to, whether or not they settle. */
interface DistributionFigures {
  readonly value: Lovelace;
  readonly invested: Lovelace;
  /** Fully diluted valuation: what the whole supply costs at the investors' price. */
  readonly fdv: Lovelace;
  readonly reserveRequired: Lovelace;
  readonly reserveMet: boolean;
  readonly lpLovelace: Lovelace;
  readonly lpFt: BaseUnits;
}

interface InvestorShare {
  readonly id: string;
  readonly wallet: string;
  readonly ft: BaseUnits;
}

interface ContributorShare extends InvestorShare {
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

/** A participant with a weight; of equal remainders the earliest `at` (milliseconds) comes first, then the smallest `id`. */
export interface Share {
  readonly id: string;
  readonly at: number;
  readonly weight: bigint;
  /** A participant with this much gets no left-over unit; the next in order gets it. */
  readonly limit?: bigint;
}

/**
 * Splits `total` by weight to the last unit with the largest-remainder method; parts are in the order of the shares.
 * Throws RangeError when a part of the total can be given to nobody (design D13).
 */
export function largestRemainder(total: bigint, shares: readonly Share[]): bigint[] {
  const weights = shares.reduce((sum, share) => sum + share.weight, 0n);
  if (total < 0n || shares.some((share) => share.weight < 0n))
    throw new RangeError('totals and weights cannot be negative');
  if (total === 0n) return shares.map(() => 0n);
  if (weights === 0n) throw new RangeError('nobody has a share of the total');

  const parts = shares.map((share) => (total * share.weight) / weights);
  const remainders = shares.map((share, index) => ({ share, index, left: (total * share.weight) % weights }));
  const inOrder = remainders.sort(byRemainder);
  let missing = total - parts.reduce((sum, part) => sum + part, 0n);
  while (missing > 0n) {
    const takers = inOrder.filter(({ share, index }) => mayTakeOneMore(share, parts[index])).slice(0, Number(missing));
    if (takers.length === 0) throw new RangeError('the limits of all participants add up to less than the total');
    for (const { index } of takers) parts[index] = (parts[index] ?? 0n) + 1n;
    missing -= BigInt(takers.length);
  }
  return parts;
}

function mayTakeOneMore({ limit }: Share, part = 0n): boolean {
  return limit === undefined || part < limit;
}

interface Remainder {
  readonly share: Share;
  readonly left: bigint;
}

function byRemainder(a: Remainder, b: Remainder): number {
  if (a.left !== b.left) return a.left > b.left ? -1 : 1;
  if (a.share.at !== b.share.at) return a.share.at - b.share.at;
  return a.share.id < b.share.id ? -1 : 1;
}

/** What a settlement pays in ADA when some of the planned investments were reclaimed; FT stay as planned. */
export interface Revision {
  /** The ADA of the investments that were not reclaimed; the figures below add up to it. */
  readonly invested: Lovelace;
  readonly lpLovelace: Lovelace;
  readonly contributorsLovelace: Lovelace;
  readonly contributors: readonly Pick<ContributorShare, 'id' | 'lovelace'>[];
}

/**
 * Distributes the ADA of the investments that were not reclaimed, by the formula of the plan; nobody gets more than planned
 * (docs/adr/0014-settlement.md). `input` is what the plan was made from. Equals the plan when
 * nothing is missing.
 */
export function reviseSettlement(
  planned: readonly Pick<ContributorShare, 'id' | 'lovelace'>[],
  input: PlannedInput,
  invested: Lovelace,
): Revision {
  const lpLovelace = liquidityLovelace(invested, input);
  const plan = new Map(planned.map(({ id, lovelace: share }) => [id, share]));
  const shares = input.contributors.map(({ id, at, value: weight }) => ({ id, at, weight, limit: plan.get(id) ?? 0n }));
  const parts = largestRemainder(invested - lpLovelace, shares);
  return {
    invested,
    lpLovelace,
    contributorsLovelace: lovelace(invested - lpLovelace),
    contributors: input.contributors.map(({ id }, position) => ({ id, lovelace: lovelace(parts[position] ?? 0n) })),
  };
}

interface PlanSums {
  readonly value: Lovelace;
  readonly invested: Lovelace;
}

/** Guards the money: a revision starts from exactly the figures of the plan. Throws unless the deposits add up to them. */
export function requireAsPlanned(
  plan: PlanSums | null,
  contributors: readonly Pick<Contribution, 'value'>[],
  invested: Lovelace,
): void {
  const value = contributors.reduce((sum, contribution) => sum + contribution.value, 0n);
  if (plan?.value !== value || plan.invested !== invested)
    throw new Error(`planned were ${plan?.value} and ${plan?.invested} lovelace, found ${value} and ${invested}`);
}
