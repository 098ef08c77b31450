import type { ErrorCode } from '../../platform/error-registry.ts';
import { ServiceError } from '../../platform/errors.ts';
import { transitions } from '../../platform/states.ts';
import { type Instant, isoText, secondsAfter } from '../../platform/units/time.ts';
import type { BaseUnits, Lovelace } from '../../platform/units/money.ts';
import { payoutOf, type Pot } from './pot.ts';
import type { TerminationEnd } from './steps.ts';

/** The states of a claim: it is PAID while its transaction is on the ledger (design D31). */
export const claimStatuses = ['PENDING', 'PAID', 'EXPIRED', 'FAILED'] as const;
export type ClaimStatus = (typeof claimStatuses)[number];

/** The next status of a claim. */
export const claimTransition = transitions<ClaimStatus>(
  'claim',
  { PENDING: ['PAID', 'EXPIRED', 'FAILED'], PAID: [], EXPIRED: [], FAILED: [] },
  // What is confirmed counts, also when it had been given up (design D45).
  { PAID: ['PENDING'], EXPIRED: ['PENDING'], FAILED: ['PENDING'] },
);

/** What decides whether holders can claim from a vault. */
export interface ClaimableVault {
  /** Null, or empty, until it is gathered. */
  readonly pot: Pot | null;
  /** Both null until the pot is gathered. */
  readonly claimsOpenedAt: Instant | null;
  readonly claimDeadline: Instant | null;
  /** Who gets what nobody claims; null when nobody is named. */
  readonly unclaimedLovelaceTo: string | null;
}

/** The instant from which on nothing can be claimed; null when claims have no end, because nobody else gets what is left. */
export function claimsEnd({ claimDeadline, unclaimedLovelaceTo }: ClaimableVault): Instant | null {
  return unclaimedLovelaceTo === null ? null : claimDeadline;
}

/** Whether a pot stays for those who come late, also after the deadline, because nobody else gets it. */
export function isPotKept({ pot, unclaimedLovelaceTo }: Pick<ClaimableVault, 'pot' | 'unclaimedLovelaceTo'>): boolean {
  return unclaimedLovelaceTo === null && pot !== null && pot.circulating > 0n && pot.lovelace > 0n;
}

/** The error code for claims at `now`; undefined while holders can claim. Null stands for a vault that does not end. */
export function claimRefusal(vault: ClaimableVault | null, now: Instant): ErrorCode | undefined {
  if (!vault?.pot || vault.claimsOpenedAt === null) return 'CLAIMS_NOT_OPEN';
  const end = claimsEnd(vault);
  return vault.pot.circulating === 0n || (end !== null && now >= end) ? 'CLAIMS_CLOSED' : undefined;
}

export function requireClaimable<Vault extends ClaimableVault>(
  vault: Vault | null,
  now: Instant,
): asserts vault is Vault {
  const refusal = claimRefusal(vault, now);
  if (!refusal) return;
  const deadline = vault?.claimDeadline ?? null;
  throw new ServiceError(refusal, deadline === null ? undefined : { claimDeadline: isoText(deadline) });
}

/** What these base units bring. */
export function requirePayout(pot: Pot, amount: BaseUnits): Lovelace {
  const { circulating } = pot;
  if (amount > circulating)
    throw new ServiceError('CLAIM_EXCEEDS_SUPPLY', { circulatingBaseUnits: circulating.toString() });
  const payout = payoutOf(pot, amount);
  if (payout > 0n) return payout;
  const smallest = pot.lovelace === 0n ? null : (circulating + pot.lovelace - 1n) / pot.lovelace;
  throw new ServiceError('CLAIM_TOO_SMALL', { minimumBaseUnits: smallest === null ? null : smallest.toString() });
}

/** The claims of others leave less: what is rounded off, a lovelace each at most. */
const WORTH_CLAIMING_ANEW = 10_000n;

/** Whether a claim brings noticeably less than the same base units bring now, because the price of a sale came into the pot. */
export function isStale(
  { amount, payout }: { readonly amount: BaseUnits; readonly payout: Lovelace },
  pot: Pot,
): boolean {
  return amount <= pot.circulating && payoutOf(pot, amount) - payout >= WORTH_CLAIMING_ANEW;
}

interface Extension {
  readonly claimDeadline: Instant;
  /** How many seconds from now on claims shall run at least. */
  readonly seconds: number;
  /** By how many seconds the deadline may move for that. */
  readonly atMost: number;
}

/** The moved deadline, and by how many seconds it moved, without those that passed since the earlier one; null when it stays. */
function extendClaims(
  { claimDeadline, seconds, atMost }: Extension,
  now: Instant,
): { claimDeadline: Instant; by: number } | null {
  const from = now > claimDeadline ? now : claimDeadline;
  const missing = Math.ceil((secondsAfter(now, seconds) - from) / 1000);
  const by = Math.min(missing, atMost);
  return by > 0 ? { claimDeadline: secondsAfter(from, by), by } : null;
}

const DAY = 86_400;
/** How much longer claims run because of claims that were not confirmed, in all. */
const MOST_GRACE = 7 * DAY;

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
 * Until when claims run because one that its wallet has signed was not confirmed: a day from now; null when they do not run longer for it. What
 * is confirmed too late goes to the wallet that is named for it, which could otherwise push out the claims of others at the last minute. The time
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

/** How long holders can claim at least after the price of a sale is in the pot. */
const CLAIM_SECONDS_AFTER_SALE = 14 * DAY;
/** How much longer claims run because of sales, in all: holders could otherwise put off the end by buying one asset after the other. */
const MOST_AFTER_SALES = 90 * DAY;

/** Until when claims run because of sales, and by how much that is longer than was decided. */
export interface SaleExtension {
  readonly claimDeadline: Instant;
  readonly saleSeconds: number;
}

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
