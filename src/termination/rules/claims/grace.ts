import type { Instant } from '../../../platform/units/instant.ts';
import { extendClaims } from './extend-claims.ts';

const DAY = 86_400;
/** How much longer claims run because of claims that did not land, in all. */
const MOST_GRACE = 7 * DAY;

/** What decides whether claims run longer. */
interface EndingClaims {
  readonly claimDeadline: Instant | null;
  readonly unclaimedLovelaceTo: string | null;
  /** By how much they run longer already. */
  readonly graceSeconds: number;
}

/** Until when claims run, and by how much that is longer than was decided. */
export interface Grace {
  readonly claimDeadline: Instant;
  readonly graceSeconds: number;
}

/**
 * Until when claims run because one that its wallet has signed did not land: a day from now; null when they do not run longer for it. What
 * lands too late goes to the wallet that is named for it, which could otherwise push out the claims of others at the last minute. The time
 * that a late follower was away counts for nobody.
 */
export function graceAfterLostClaim(
  { claimDeadline, unclaimedLovelaceTo, graceSeconds }: EndingClaims,
  now: Instant,
): Grace | null {
  if (claimDeadline === null || unclaimedLovelaceTo === null) return null;
  const extended = extendClaims({ claimDeadline, seconds: DAY, atMost: MOST_GRACE - graceSeconds }, now);
  return extended && { claimDeadline: extended.claimDeadline, graceSeconds: graceSeconds + extended.by };
}
