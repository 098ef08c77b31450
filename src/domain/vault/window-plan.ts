import { type DurationBound, type DurationBounds, printDuration } from '../units/duration.ts';
import { type FieldProblem } from '../errors.ts';
import { type Instant, isoText, secondsAfter } from '../units/instant.ts';
import { type Span } from './window.ts';

/** What a create request says about its windows; durations in seconds. */
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

/** The absolute windows of a new vault, or everything that is wrong with them by request field (design D2, D4). */
export function planWindows(wishes: RequestedWindows): WindowPlan {
  const investment = span(wishes.investmentStart ?? wishes.createdAt, wishes.investmentDuration);
  const asset = assetSpan(wishes, investment);
  const problems = [
    ...startProblems(fields.assetStart, wishes.assetStart, wishes.createdAt),
    ...startProblems(fields.investmentStart, wishes.investmentStart, wishes.createdAt),
    ...lengthProblems(fields.assetDuration, wishes.assetDuration, wishes.bounds.assetWindow),
    ...lengthProblems(fields.investmentDuration, wishes.investmentDuration, wishes.bounds.investmentWindow),
  ];
  if (problems.length === 0) problems.push(...fitProblems(wishes, asset, investment));
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'planned', asset, investment };
}

function assetSpan(wishes: RequestedWindows, investment: Span): Span {
  const { assetStart, assetDuration, investmentStart, createdAt, bounds } = wishes;
  if (assetDuration !== undefined) return span(assetStart ?? createdAt, assetDuration);
  const { min, max } = bounds.assetWindow;
  const usual = span(assetStart ?? createdAt, Math.min(Math.max(DEFAULT_ASSET_WINDOW, min), max));
  if (usual.endsAt <= investment.endsAt) return usual;
  // A shortest investment window that began within the tolerance must still leave room for a shortest asset window.
  const shared = assetStart === undefined && investmentStart !== undefined && investmentStart < createdAt;
  return { startsAt: shared ? investmentStart : usual.startsAt, endsAt: investment.endsAt };
}

function fitProblems(wishes: RequestedWindows, asset: Span, investment: Span): FieldProblem[] {
  if (investment.endsAt < asset.endsAt) {
    const message = `The investment window ends ${isoText(investment.endsAt)}, before the asset window (${isoText(asset.endsAt)})`;
    return [problem(fields.investmentDuration, message)];
  }
  const { min } = wishes.bounds.assetWindow;
  if (asset.endsAt >= secondsAfter(asset.startsAt, min)) return [];
  const blamed = wishes.assetStart === undefined ? fields.investmentDuration : fields.assetStart;
  const message = `The investment window leaves the asset window less than ${printDuration(min)}`;
  return [problem(blamed, message)];
}

function startProblems(field: string, start: Instant | undefined, createdAt: Instant): FieldProblem[] {
  if (start === undefined) return [];
  if (start < secondsAfter(createdAt, -PAST_TOLERANCE)) return [problem(field, 'The start is in the past')];
  if (start > secondsAfter(createdAt, LONGEST_LEAD)) return [problem(field, 'The start is more than 365 days ahead')];
  return [];
}

function lengthProblems(field: string, seconds: number | undefined, { min, max }: DurationBound): FieldProblem[] {
  if (seconds === undefined || (seconds >= min && seconds <= max)) return [];
  return [problem(field, `The duration must be between ${printDuration(min)} and ${printDuration(max)} (DD:HH:MM)`)];
}

function problem(field: string, message: string): FieldProblem {
  return { code: 'INVALID_VAULT_PARAMS', message, field };
}

function span(startsAt: Instant, seconds: number): Span {
  return { startsAt, endsAt: secondsAfter(startsAt, seconds) };
}
