import { instantOfSlot, type SlotAnchor, slotAt } from './slots.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';

/** How long a transaction that a request starts may wait for its signatures (design D16). */
const REQUESTED_LIFETIME_SECONDS = 30 * 60;
/** How long a transaction that the worker prepares may take to land before it is built again. */
const PLATFORM_LIFETIME_SECONDS = 2 * 3600;
/** How long cosigners have to sign; ledgers refuse a validity that ends much later. */
export const COSIGNING_SECONDS = 36 * 3600;
/** With less time left, a transaction would expire before it lands. */
const MIN_LIFETIME_SECONDS = 30;

export interface Deadline {
  /** The first slot in which the ledger refuses the transaction. */
  readonly ttlSlot: number;
  readonly expiresAt: Instant;
}

/** A slot and the instant at which it begins. */
export function deadlineAt(anchor: SlotAnchor, ttlSlot: number): Deadline {
  return { ttlSlot, expiresAt: instantOfSlot(anchor, ttlSlot) };
}

/** Half an hour from now, or another lifetime, or `latest` when that is earlier; null means no limit. */
export function deadlineBefore(
  latest: Instant | null,
  now: Instant,
  anchor: SlotAnchor,
  { seconds } = { seconds: REQUESTED_LIFETIME_SECONDS },
): Deadline {
  return deadlineAt(anchor, slotAt(anchor, earlier(secondsAfter(now, seconds), latest)));
}

/** Two hours from now, or another lifetime, or `latest` when that is earlier; null when that leaves no time to land. */
export function platformTtlSlot(
  anchor: SlotAnchor,
  now: Instant,
  latest: Instant | null,
  { seconds } = { seconds: PLATFORM_LIFETIME_SECONDS },
): number | null {
  const end = earlier(secondsAfter(now, seconds), latest);
  return end < secondsAfter(now, MIN_LIFETIME_SECONDS) ? null : slotAt(anchor, end);
}

function earlier(end: Instant, latest: Instant | null): Instant {
  return latest !== null && latest < end ? latest : end;
}
