import { type Instant } from './instant.ts';

/** What keeps a vault from going on although its time has come. */
export type HoldReason = 'stale_price' | 'price_unavailable' | 'ledger_unreachable' | 'deposits_not_final';

/** A transition that waits visibly (design D14). */
export interface Hold {
  readonly reason: HoldReason;
  readonly since: Instant;
}

/** The holds with `reason` among them; one that was there keeps its beginning. */
export function raiseHold(holds: readonly Hold[], reason: HoldReason, now: Instant): readonly Hold[] {
  return holds.some((hold) => hold.reason === reason) ? holds : [...holds, { reason, since: now }];
}

/** The holds without `reason`. */
export function releaseHold(holds: readonly Hold[], reason: HoldReason): readonly Hold[] {
  return holds.filter((hold) => hold.reason !== reason);
}
