import type { ErrorCode } from '../platform/error-registry.ts';
import { ServiceError } from '../platform/errors.ts';
import { transitions } from '../platform/states.ts';
import { type Instant, secondsAfter, isoText } from '../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../platform/units/money.ts';

export const stakeStatuses = ['ACTIVE', 'LOCKED', 'RELEASED'] as const;
/** ACTIVE: unused; LOCKED: used in an open vote; RELEASED: back with its owner (design D24). */
export type StakeStatus = (typeof stakeStatuses)[number];

/** The next status of a stake. RELEASED → ACTIVE undoes a return whose transaction was rolled back. */
export const stakeTransition = transitions<StakeStatus>(
  'stake',
  { ACTIVE: ['LOCKED', 'RELEASED'], LOCKED: ['ACTIVE'], RELEASED: [] },
  { RELEASED: ['ACTIVE'] },
);

export interface StakeSnapshot {
  readonly id: string;
  readonly wallet: string;
  readonly amount: BaseUnits;
  readonly status: StakeStatus;
  readonly stakedAt: Instant;
  /** Null until its transaction is final. */
  readonly finalAt: Instant | null;
  /** From this instant on the owner can take the tokens back without the platform. */
  readonly ownerAloneFrom: Instant;
  /** Whether a transaction that returns the tokens waits for signatures or for the ledger. */
  readonly leaving: boolean;
}

const OWNER_ALONE_AFTER_SECONDS = 365 * 24 * 3600;

/** When a stake's owner can take it back alone: 365 days after it was staked (design D24). */
export function ownerAloneFrom(stakedAt: Instant): Instant {
  return secondsAfter(stakedAt, OWNER_ALONE_AFTER_SECONDS);
}

/** Whether the stake's script holds the tokens and no transaction returns them. */
export function isHeld({ status, leaving }: Pick<StakeSnapshot, 'status' | 'leaving'>): boolean {
  return status !== 'RELEASED' && !leaving;
}

/** The whole amount while the stake is final and held, otherwise 0; base units (design D24). */
export function votingPower(stake: StakeSnapshot): BaseUnits {
  return isHeld(stake) && stake.finalAt !== null ? stake.amount : baseUnits(0n);
}

/** The amount of a stake that a live vote of an unfinished proposal uses, until that proposal's execution phase ends. */
interface StakeUsage {
  readonly amount: BaseUnits;
  readonly executionEndsAt: Instant;
}

/** The largest amount in any one open vote, in base units: several proposals can use a stake at once (design D24). */
export function usedPower(uses: readonly StakeUsage[]): BaseUnits {
  return baseUnits(uses.reduce((most, { amount }) => (amount > most ? amount : most), 0n));
}

/** The latest end of the execution phases that use a stake; null while it is unused. */
export function lockedUntil(uses: readonly StakeUsage[]): Instant | null {
  return uses.reduce<Instant | null>(
    (latest, { executionEndsAt }) => (latest === null || executionEndsAt > latest ? executionEndsAt : latest),
    null,
  );
}

/** What decides whether a stake can be returned. */
type UnstakeSnapshot = Pick<StakeSnapshot, 'status' | 'finalAt' | 'leaving'> & {
  readonly lockedUntil: Instant | null;
};

/** The error code if a stake cannot be returned; undefined if it can. */
function unstakeRefusal({ status, finalAt, leaving }: UnstakeSnapshot): ErrorCode | undefined {
  if (status === 'RELEASED') return 'STAKE_ALREADY_RELEASED';
  if (status === 'LOCKED') return 'STAKE_LOCKED';
  if (leaving) return 'STAKE_ALREADY_LEAVING';
  return finalAt === null ? 'STAKE_NOT_FINAL' : undefined;
}

/** Every action on a stake: whether the caller can take it, and the error code if not. */
export function allowedStakeActions(
  stake: UnstakeSnapshot,
  { actsForOwner }: { actsForOwner: boolean },
): readonly AllowedStakeAction[] {
  const reason = actsForOwner ? unstakeRefusal(stake) : 'INSUFFICIENT_PERMISSIONS';
  return [{ action: 'unstake', allowed: reason === undefined, reason: reason ?? null }];
}

interface AllowedStakeAction {
  readonly action: 'unstake';
  readonly allowed: boolean;
  readonly reason: ErrorCode | null;
}

/** Throws STAKE_LOCKED with `lockedUntil`, STAKE_NOT_FINAL, STAKE_ALREADY_LEAVING or STAKE_ALREADY_RELEASED. */
export function requireUnstakable(stake: UnstakeSnapshot): void {
  const refusal = unstakeRefusal(stake);
  if (!refusal) return;
  const { lockedUntil: until } = stake;
  throw new ServiceError(refusal, until === null ? undefined : { lockedUntil: isoText(until) });
}

/** Why a stake is no longer in its script: it went back, it never arrived, or its owner took it back alone. */
export const stakeReleaseReasons = ['unstaked', 'expired', 'reclaimed'] as const;

export type StakeReleaseReason = (typeof stakeReleaseReasons)[number];
