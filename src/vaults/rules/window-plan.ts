import { type DurationBound, type DurationBounds, printDuration } from '../../platform/units/duration.ts';
import { type FieldProblem } from '../../platform/errors/errors.ts';
import { type Instant, isoText, secondsAfter } from '../../platform/units/instant.ts';
import { type Span } from './window.ts';

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
    const message = `The investment window ends at ${isoText(investment.endsAt)}; it must not end before the asset window (${isoText(asset.endsAt)})`;
    return [problem(fields.investmentDuration, message)];
  }
  const { min } = requested.bounds.assetWindow;
  if (asset.endsAt >= secondsAfter(asset.startsAt, min)) return [];
  const blamed = requested.assetStart === undefined ? fields.investmentDuration : fields.assetStart;
  const message = `The asset window must last at least ${printDuration(min)} before the investment window ends`;
  return [problem(blamed, message)];
}

function startProblems(field: string, start: Instant | undefined, createdAt: Instant): FieldProblem[] {
  if (start === undefined) return [];
  if (start < secondsAfter(createdAt, -PAST_TOLERANCE)) return [problem(field, 'The start must not be in the past')];
  if (start > secondsAfter(createdAt, LONGEST_LEAD))
    return [problem(field, 'The start must be at most 365 days from now')];
  return [];
}

function lengthProblems(field: string, seconds: number | undefined, { min, max }: DurationBound): FieldProblem[] {
  if (seconds === undefined || (seconds >= min && seconds <= max)) return [];
  return [problem(field, `The duration must be from ${printDuration(min)} to ${printDuration(max)} (DD:HH:MM)`)];
}

function problem(field: string, message: string): FieldProblem {
  return { code: 'INVALID_VAULT_PARAMS', message, field };
}

function span(startsAt: Instant, seconds: number): Span {
  return { startsAt, endsAt: secondsAfter(startsAt, seconds) };
}
