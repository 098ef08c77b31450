import { type Instant } from './instant.ts';

/** What keeps a vault from going on although its time has come. */
export type HoldReason = 'stale_price' | 'price_unavailable' | 'ledger_unreachable' | 'deposits_not_final';

/** A transition that waits visibly (design D14). */
export interface Hold {
  readonly reason: HoldReason;
  readonly since: Instant;
}
