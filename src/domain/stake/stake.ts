import { type ErrorCode, ServiceError } from '../errors.ts';
import { type Instant, isoText, secondsAfter } from '../units/instant.ts';
import { type BaseUnits, baseUnits } from '../units/money.ts';
import { transitions } from '../transitions.ts';

export const stakeStatuses = ['ACTIVE', 'LOCKED', 'RELEASED'] as const;
/** ACTIVE unused, LOCKED used in an open vote, RELEASED back with its owner (design D24). */
export type StakeStatus = (typeof stakeStatuses)[number];

/** The next status of a stake; throws INVALID_TRANSITION. RELEASED → ACTIVE undoes a way back that was rolled back. */
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
  /** From here on the owner takes the tokens back without us. */
  readonly ownerAloneFrom: Instant;
  /** A transaction that takes the tokens back waits for signatures or for the ledger. */
  readonly leaving: boolean;
}

const OURS_SECONDS = 365 * 24 * 3600;

/** When a stake's owner can take it back alone: 365 days after it was staked (design D24). */
export function ownerAloneFrom(stakedAt: Instant): Instant {
  return secondsAfter(stakedAt, OURS_SECONDS);
}

/** Whether the tokens lie in the stake's script and are to stay there. */
export function isHeld({ status, leaving }: Pick<StakeSnapshot, 'status' | 'leaving'>): boolean {
  return status !== 'RELEASED' && !leaving;
}

/** The whole amount while it is final and held, else nothing (design D24). */
export function votingPower(stake: StakeSnapshot): BaseUnits {
  return isHeld(stake) && stake.finalAt !== null ? stake.amount : baseUnits(0n);
}

/** A part of the stake that a live vote of an unfinished proposal uses, until that proposal's execution phase ends. */
export interface StakeUsage {
  readonly amount: BaseUnits;
  readonly executionEndsAt: Instant;
}

/** The largest amount in any one open vote: a stake can be used in several proposals at once (design D24). */
export function usedPower(uses: readonly StakeUsage[]): BaseUnits {
  return baseUnits(uses.reduce((most, { amount }) => (amount > most ? amount : most), 0n));
}

/** The latest end of an execution phase it is used for; null while it is unused. */
export function lockedUntil(uses: readonly StakeUsage[]): Instant | null {
  return uses.reduce<Instant | null>(
    (latest, { executionEndsAt }) => (latest === null || executionEndsAt > latest ? executionEndsAt : latest),
    null,
  );
}

/** What decides whether a stake may leave. */
export type UnstakeSnapshot = Pick<StakeSnapshot, 'status' | 'finalAt' | 'leaving'> & {
  readonly lockedUntil: Instant | null;
};

/** The code a stake's way back is refused with; undefined when it may leave. */
function unstakeRefusal({ status, finalAt, leaving }: UnstakeSnapshot): ErrorCode | undefined {
  if (status === 'RELEASED') return 'STAKE_ALREADY_RELEASED';
  if (status === 'LOCKED') return 'STAKE_LOCKED';
  if (leaving) return 'STAKE_ALREADY_LEAVING';
  return finalAt === null ? 'STAKE_NOT_FINAL' : undefined;
}

/** Every action on a stake with whether it is open to who asks, and the code it would be refused with. */
export function allowedStakeActions(
  stake: UnstakeSnapshot,
  { actsForOwner }: { actsForOwner: boolean },
): readonly AllowedStakeAction[] {
  const reason = actsForOwner ? unstakeRefusal(stake) : 'INSUFFICIENT_PERMISSIONS';
  return [reason ? { action: 'unstake', allowed: false, reason } : { action: 'unstake', allowed: true }];
}

interface AllowedStakeAction {
  readonly action: 'unstake';
  readonly allowed: boolean;
  readonly reason?: ErrorCode;
}

/** Throws STAKE_LOCKED with `lockedUntil`, STAKE_NOT_FINAL, STAKE_ALREADY_LEAVING or STAKE_ALREADY_RELEASED, unless it may leave. */
export function requireUnstakable(stake: UnstakeSnapshot): void {
  const refusal = unstakeRefusal(stake);
  if (!refusal) return;
  const { lockedUntil: until } = stake;
  throw new ServiceError(refusal, until === null ? undefined : { lockedUntil: isoText(until) });
}
