import { type ErrorCode, ServiceError } from '../../platform/errors/errors.ts';
import { type Instant, isoText } from '../../platform/units/instant.ts';
import type { StakeSnapshot } from './stake.ts';

/** What decides whether a stake can be returned. */
export type UnstakeSnapshot = Pick<StakeSnapshot, 'status' | 'finalAt' | 'leaving'> & {
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
