import { type Instant } from '../units/instant.ts';

export const holdReasons = ['stale_price', 'price_unavailable'] as const;
/** What keeps a vault from going on although its time has come. */
export type HoldReason = (typeof holdReasons)[number];

/** A transition that waits visibly (design D14). */
export interface Hold {
  readonly reason: HoldReason;
  readonly since: Instant;
}
