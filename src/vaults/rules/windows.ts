import { maxAssetsPerVault } from '../../assets/rules/asset.ts';
import type { FieldProblem } from '../../platform/error-registry.ts';
import {
  type DurationBound,
  type DurationBounds,
  printDuration,
  type Instant,
  isoText,
  secondsAfter,
} from '../../platform/units/time.ts';
import { type BasisPoints, basisPoints, FULL_SHARE, printPercentage } from '../../platform/units/money.ts';
import { noticeBegins } from './access.ts';
import type { VaultTerms } from './vault.ts';
import type { Span, WindowKind } from './window.ts';

/** The windows that a request asks for; durations in seconds. */
export interface RequestedWindows {
  readonly createdAt: Instant;
  readonly assetStart?: Instant | undefined;
  readonly assetDuration?: number | undefined;
  readonly investmentStart?: Instant | undefined;
  readonly investmentDuration: number;
  readonly bounds: DurationBounds;
}

export type WindowPlan =
  | { readonly kind: 'planned'; readonly asset: Span; readonly investment: Span }
  | { readonly kind: 'refused'; readonly problems: readonly FieldProblem[] };

const fields = {
  assetStart: 'asset_settings.asset_window_start_time',
  assetDuration: 'asset_settings.asset_window_duration',
  investmentStart: 'investment_settings.investment_start_time',
  investmentDuration: 'investment_settings.investment_window_duration',
} as const;

const DAY = 24 * 3600;
const DEFAULT_ASSET_WINDOW = 7 * DAY;
const LONGEST_LEAD = 365 * DAY;
const PAST_TOLERANCE = 60;

/** The start and end of the windows of a new vault, or their problems by field of the request (design D2, D4). */
export function planWindows(requested: RequestedWindows): WindowPlan {
  const investment = span(requested.investmentStart ?? requested.createdAt, requested.investmentDuration);
  const asset = assetSpan(requested, investment);
  const problems = [
    ...startProblems(fields.assetStart, requested.assetStart, requested.createdAt),
    ...startProblems(fields.investmentStart, requested.investmentStart, requested.createdAt),
    ...lengthProblems(fields.assetDuration, requested.assetDuration, requested.bounds.assetWindow),
    ...lengthProblems(fields.investmentDuration, requested.investmentDuration, requested.bounds.investmentWindow),
  ];
  if (problems.length === 0) problems.push(...fitProblems(requested, asset, investment));
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'planned', asset, investment };
}

function assetSpan(requested: RequestedWindows, investment: Span): Span {
  const { assetStart, assetDuration, investmentStart, createdAt, bounds } = requested;
  if (assetDuration !== undefined) return span(assetStart ?? createdAt, assetDuration);
  const { min, max } = bounds.assetWindow;
  const usual = span(assetStart ?? createdAt, Math.min(Math.max(DEFAULT_ASSET_WINDOW, min), max));
  if (usual.endsAt <= investment.endsAt) return usual;
  // The start may be in the past by the tolerance. The shortest investment window must still leave time for the shortest asset window.
  const shared = assetStart === undefined && investmentStart !== undefined && investmentStart < createdAt;
  return { startsAt: shared ? investmentStart : usual.startsAt, endsAt: investment.endsAt };
}

function fitProblems(requested: RequestedWindows, asset: Span, investment: Span): FieldProblem[] {
  if (investment.endsAt < asset.endsAt) {
    const message = `The investment window ends at ${isoText(investment.endsAt)}, before the asset window (${isoText(asset.endsAt)}). It must end at the same time or later.`;
    return [problem(fields.investmentDuration, message)];
  }
  const { min } = requested.bounds.assetWindow;
  if (asset.endsAt >= secondsAfter(asset.startsAt, min)) return [];
  const blamed = requested.assetStart === undefined ? fields.investmentDuration : fields.assetStart;
  const message = `The asset window must last at least ${printDuration(min)} before the investment window ends.`;
  return [problem(blamed, message)];
}

function startProblems(field: string, start: Instant | undefined, createdAt: Instant): FieldProblem[] {
  if (start === undefined) return [];
  if (start < secondsAfter(createdAt, -PAST_TOLERANCE)) return [problem(field, 'The start must not be in the past.')];
  if (start > secondsAfter(createdAt, LONGEST_LEAD))
    return [problem(field, 'The start must be at most 365 days from now.')];
  return [];
}

function lengthProblems(field: string, seconds: number | undefined, { min, max }: DurationBound): FieldProblem[] {
  if (seconds === undefined || (seconds >= min && seconds <= max)) return [];
  return [problem(field, `Must be from ${printDuration(min)} to ${printDuration(max)} (DD:HH:MM).`)];
}

function problem(field: string, message: string): FieldProblem {
  return { code: 'INVALID_VAULT_PARAMS', message, field };
}

function span(startsAt: Instant, seconds: number): Span {
  return { startsAt, endsAt: secondsAfter(startsAt, seconds) };
}

interface Range<N extends bigint | number> {
  readonly min: N;
  readonly max: N;
}

const percent = (min: bigint, max: bigint): Range<BasisPoints> => ({
  min: basisPoints(min * 100n),
  max: basisPoints(max * 100n),
});

/** Inclusive bounds of a vault's percentages (spec, "Validation bounds"; design D10). */
const percentageBounds = {
  floorPricePercentage: percent(1n, 100n),
  maxShare: percent(1n, 100n),
  reserve: percent(5n, 50n),
  lpPercentage: percent(1n, 20n),
  ftPercentage: percent(1n, 100n),
} as const;
const governanceBounds = {
  creation: percent(0n, 100n),
  start: percent(0n, 100n),
  vote: percent(10n, 100n),
  execution: percent(0n, 100n),
  cosigning: percent(0n, 100n),
} as const;
const decimalBounds: Range<number> = { min: 1, max: 9 };
/** Below the largest token quantity of the ledger, 2^63 - 1. */
const largestSupply = 9_200_000_000_000_000_000n;

const boundedFields = {
  floorPricePercentage: 'asset_settings.floor_price_percentage',
  maxShare: 'asset_settings.max_share',
  reserve: 'investment_settings.minimum_investment_reserve',
  lpPercentage: 'investment_settings.lp_percentage',
  ftPercentage: 'investment_settings.ft_percentage',
} as const;

/** The terms of a vault that are out of bounds, by field of the request that creates it. */
export function vaultTermProblems(terms: VaultTerms): readonly FieldProblem[] {
  const percentages = Object.entries(percentageBounds).flatMap(([name, bound]) => {
    const key = name as keyof typeof percentageBounds;
    return percentageProblems(boundedFields[key], terms[key], bound);
  });
  const governance = Object.entries(governanceBounds).flatMap(([name, bound]) => {
    const key = name as keyof typeof governanceBounds;
    return percentageProblems(`governance_settings.${name}_threshold`, terms.governance[key], bound);
  });
  return [...percentages, ...governance, ...supplyProblems(terms), ...otherProblems(terms)];
}

function percentageProblems(field: string, value: BasisPoints, { min, max }: Range<BasisPoints>): FieldProblem[] {
  if (value >= min && value <= max) return [];
  return [problem(field, `Must be from ${printPercentage(min)} to ${printPercentage(max)} percent.`)];
}

function supplyProblems({ ftSupply, ftDecimals }: VaultTerms): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!Number.isInteger(ftDecimals) || ftDecimals < decimalBounds.min || ftDecimals > decimalBounds.max) {
    problems.push(problem('investment_settings.ft_token_decimals', 'The number of decimals must be from 1 to 9.'));
  }
  if (ftSupply === 0n || ftSupply > largestSupply) {
    problems.push(problem('investment_settings.ft_supply', 'The supply in base units must be from 1 to 9.2e18.'));
  }
  return problems;
}

function otherProblems(terms: VaultTerms): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!Number.isInteger(terms.maxAssets) || terms.maxAssets < 1 || terms.maxAssets > maxAssetsPerVault) {
    problems.push(problem('asset_settings.max_assets', `The number of assets must be from 1 to ${maxAssetsPerVault}.`));
  }
  if (terms.lpPercentage > 2n * terms.ftPercentage) {
    problems.push(problem(boundedFields.lpPercentage, 'The liquidity percentage must be at most twice ft_percentage.'));
  }
  if (terms.termination.fdp > FULL_SHARE)
    problems.push(problem('termination.fdp', 'The floor price deviation must be at most 100 %.'));
  return problems;
}

/** The instants at which time alone takes from the admin what they may change or cancel. */
export function changeDeadlines({ asset, investment }: Readonly<Record<WindowKind, Span>>): Instant[] {
  return [asset.startsAt, noticeBegins(asset), asset.endsAt, investment.startsAt, investment.endsAt];
}
