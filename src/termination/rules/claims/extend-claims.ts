import { type Instant, secondsAfter } from '../../../platform/units/instant.ts';

interface Extension {
  readonly claimDeadline: Instant;
  /** How many seconds from now on claims shall run at least. */
  readonly seconds: number;
  /** By how many seconds the deadline may move for that. */
  readonly atMost: number;
}

/** The moved deadline, and by how many seconds it moved, without those that passed since the earlier one; null when it stays. */
export function extendClaims(
  { claimDeadline, seconds, atMost }: Extension,
  now: Instant,
): { claimDeadline: Instant; by: number } | null {
  const from = now > claimDeadline ? now : claimDeadline;
  const missing = Math.ceil((secondsAfter(now, seconds) - from) / 1000);
  const by = Math.min(missing, atMost);
  return by > 0 ? { claimDeadline: secondsAfter(from, by), by } : null;
}
