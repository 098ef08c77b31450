import { ServiceError } from '../../platform/errors.ts';
import { type Instant, isoText, secondsAfter } from '../../platform/units/time.ts';
import { transitions } from '../../platform/states.ts';

export type WindowKind = 'asset' | 'investment';

export const windowStatuses = ['PENDING', 'ACTIVE', 'COMPLETED', 'FAILED'] as const;
export type WindowStatus = (typeof windowStatuses)[number];

/** A span of time with an exclusive end. */
export interface Span {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** A window of a vault with the status that its workflow has recorded. */
export interface Window extends Span {
  readonly kind: WindowKind;
  readonly status: WindowStatus;
}

/** The next status of a window. A COMPLETED window can still fail when the vault fails (design D7). */
export const windowTransition = transitions<WindowStatus>('window', {
  PENDING: ['ACTIVE', 'FAILED'],
  ACTIVE: ['COMPLETED', 'FAILED'],
  COMPLETED: ['FAILED'],
  FAILED: [],
});

/** The status at `now`. It is correct even when no worker has opened or closed the window (design D23). */
export function windowStatusAt(window: Window, now: Instant): WindowStatus {
  if (isClosed(window)) return window.status;
  if (now < window.startsAt) return 'PENDING';
  return now < window.endsAt ? 'ACTIVE' : 'COMPLETED';
}

/** Whole seconds since the end of a window that is not closed yet; 0 before the end and when it is closed. */
export function overdueSeconds(window: Window, now: Instant): number {
  return isClosed(window) ? 0 : Math.max(0, Math.floor((now - window.endsAt) / 1000));
}

/** The error code that refuses deposits and removals at `now`; undefined while the window is open. */
export function windowRefusal(window: Window, now: Instant) {
  const status = windowStatusAt(window, now);
  if (status === 'ACTIVE') return undefined;
  if (window.kind === 'asset') return status === 'PENDING' ? 'ASSET_WINDOW_NOT_OPEN' : 'ASSET_WINDOW_CLOSED';
  return status === 'PENDING' ? 'INVESTMENT_WINDOW_NOT_OPEN' : 'INVESTMENT_WINDOW_CLOSED';
}

/** Throws ASSET_ or INVESTMENT_WINDOW_NOT_OPEN or _CLOSED, with start and end, unless the window is open. */
export function requireOpen(window: Window, now: Instant): void {
  const refusal = windowRefusal(window, now);
  if (refusal) throw new ServiceError(refusal, { startsAt: isoText(window.startsAt), endsAt: isoText(window.endsAt) });
}

const SETTLEMENT_SECONDS = 7 * 24 * 3600;

/** Settlement deadline T: a vault that is not settled by then fails, and owners can reclaim their deposits (design D20). */
export function settlementDeadline(windows: { readonly asset: Span; readonly investment: Span }): Instant {
  const end = windows.asset.endsAt > windows.investment.endsAt ? windows.asset.endsAt : windows.investment.endsAt;
  return secondsAfter(end, SETTLEMENT_SECONDS);
}

/** A settlement takes hours at most, also while the ledger is congested. */
const LAST_DAY_SECONDS = 86_400;

/** Whether so little time is left until T (design D20) that an asset without a price must not delay the settlement of the others. */
export function isLastDay(settlesBy: Instant, now: Instant): boolean {
  return now >= secondsAfter(settlesBy, -LAST_DAY_SECONDS);
}

function isClosed(window: Window): boolean {
  return window.status === 'COMPLETED' || window.status === 'FAILED';
}
