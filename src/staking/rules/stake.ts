import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { transitions } from '../../platform/states/transitions.ts';

export const stakeStatuses = ['ACTIVE', 'LOCKED', 'RELEASED'] as const;
/** ACTIVE: unused; LOCKED: used in an open vote; RELEASED: back with its owner (design D24). */
export type StakeStatus = (typeof stakeStatuses)[number];

/** The next status of a stake. Throws INVALID_TRANSITION. RELEASED → ACTIVE undoes a return whose transaction was rolled back. */
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
