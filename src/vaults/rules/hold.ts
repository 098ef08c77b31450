import { type Instant } from '../../platform/units/instant.ts';

export const holdReasons = [
  'stale_price',
  'price_unavailable',
  'quarantined',
  'repeated_failures',
  'unjustified_transaction',
] as const;
/** Why a due change of a vault waits. */
export type HoldReason = (typeof holdReasons)[number];

/** A published reason why a due change of a vault waits (design D14). */
export interface Hold {
  readonly reason: HoldReason;
  readonly since: Instant;
}
