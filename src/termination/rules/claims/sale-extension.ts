import type { Instant } from '../../../platform/units/instant.ts';
import type { TerminationEnd } from '../termination-end.ts';
import { extendClaims } from './extend-claims.ts';

const DAY = 86_400;
/** How long holders can claim at least after the price of a sale is in the pot. */
const CLAIM_SECONDS_AFTER_SALE = 14 * DAY;
/** How much longer claims run because of sales, in all: holders could otherwise put off the end by buying one asset after the other. */
const MOST_AFTER_SALES = 90 * DAY;

/** Until when claims run because of sales, and by how much that is longer than was decided. */
export interface SaleExtension {
  readonly claimDeadline: Instant;
  readonly saleSeconds: number;
}

/** What decides whether claims run longer for a sale. */
interface ClaimsWithSale {
  readonly claimDeadline: Instant | null;
  /** By how much they run longer already. */
  readonly saleSeconds: number;
  readonly endedBecause: TerminationEnd | null;
}

/** Until when claims run because the price of a sale came into the pot now; null when they do not run longer for it. */
export function extensionAfterSale(
  { claimDeadline, saleSeconds, endedBecause }: ClaimsWithSale,
  now: Instant,
): SaleExtension | null {
  if (claimDeadline === null || endedBecause !== null) return null;
  const wanted = { claimDeadline, seconds: CLAIM_SECONDS_AFTER_SALE, atMost: MOST_AFTER_SALES - saleSeconds };
  const extended = extendClaims(wanted, now);
  return extended && { claimDeadline: extended.claimDeadline, saleSeconds: saleSeconds + extended.by };
}
