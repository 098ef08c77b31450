import { fieldError } from '../../platform/errors/errors.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import type { VaultTerms } from './vault.ts';
import type { Span } from './window.ts';

/** A list before and after a change, and the request field that changes it. */
interface ListChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly field: string;
}

const LONGEST_NOTICE_SECONDS = 24 * 3600;

/**
 * When what contributors rely on is fixed: a day before the asset window closes, or in the middle of one shorter than two days. Who
 * has contributed before has this time to leave.
 */
export function noticeBegins({ startsAt, endsAt }: Span): Instant {
  const half = Math.floor((endsAt - startsAt) / 2000);
  return secondsAfter(endsAt, -Math.min(half, LONGEST_NOTICE_SECONDS));
}

/**
 * Throws SETTING_NOT_CHANGEABLE at the field. When contributors have no time to leave any more, the admin must not keep other
 * investors out and buy alone.
 */
export function requireNoFewerInvestors(
  { typeRules }: Pick<VaultTerms, 'typeRules'>,
  { before, after, field }: ListChange,
  assetWindow: Span,
  now: Instant,
): void {
  const begins = typeRules.investors !== 'listed' && before.length === 0 && after.length > 0;
  if ((begins || addsTo(after, before)) && now >= noticeBegins(assetWindow))
    throw fieldError(
      'SETTING_NOT_CHANGEABLE',
      field,
      'Investors can only be added since contributors have no time to leave',
    );
}

/**
 * Throws SETTING_NOT_CHANGEABLE at the field. When contributors have no time to leave any more, the admin must not let in assets
 * that would dilute theirs. Nothing can be contributed after the asset window.
 */
export function requireNoMorePolicies({ before, after, field }: ListChange, assetWindow: Span, now: Instant): void {
  // An empty list accepts any policy.
  const widens = before.length > 0 && (after.length === 0 || addsTo(before, after));
  if (widens && now >= noticeBegins(assetWindow) && now < assetWindow.endsAt)
    throw fieldError(
      'SETTING_NOT_CHANGEABLE',
      field,
      'No more policies can be accepted: contributors have no time to leave',
    );
}

/** Whether `after` has an entry that `before` has not. */
function addsTo(before: readonly string[], after: readonly string[]): boolean {
  const known = new Set(before);
  return after.some((entry) => !known.has(entry));
}
