import { type ErrorCode, ServiceError } from '../../platform/errors/errors.ts';
import { type StakeSnapshot, isHeld, votingPower } from '../../staking/rules/stake.ts';
import { isoText } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { Span } from '../../vaults/rules/window.ts';

/** The phases that decide which stakes vote: stakes must be final before voting opens and stay locked until execution ends. */
export interface VotingPeriod {
  readonly voting: Span;
  readonly execution: Span;
}

/**
 * Whether a stake has power in a proposal: it was final before voting opened, is still held, and its owner cannot reclaim it
 * alone before the execution phase ends (design D24, D26).
 */
export function hasPowerIn(stake: StakeSnapshot, { voting, execution }: VotingPeriod): boolean {
  return (
    isHeld(stake) &&
    stake.finalAt !== null &&
    stake.finalAt < voting.startsAt &&
    execution.endsAt < stake.ownerAloneFrom
  );
}

/** The power of stakes in a proposal, in base units: of one wallet's stakes, or of all stakes as the quorum base (design D26). */
export function votingPowerIn(stakes: readonly StakeSnapshot[], phases: VotingPeriod): BaseUnits {
  const counted = stakes.filter((stake) => hasPowerIn(stake, phases));
  return baseUnits(counted.reduce((sum, stake) => sum + votingPower(stake), 0n));
}

/** The error code for a vote of a wallet with this power in a proposal; undefined if the wallet can vote. */
export function votingPowerRefusal(power: BaseUnits): ErrorCode | undefined {
  return power === 0n ? 'NOT_STAKED_AT_SNAPSHOT' : undefined;
}

/** The part of a vote that uses one stake. */
export interface StakeUse {
  readonly stakeId: string;
  readonly amount: BaseUnits;
}

/**
 * Allocates a vote to the stakes of its wallet, oldest first, then by id, so that the result is deterministic. Throws
 * RangeError for an amount of 0, NOT_STAKED_AT_SNAPSHOT for a wallet without power in the proposal and
 * INSUFFICIENT_VOTING_POWER for one with too little.
 */
export function allocateVote(
  amount: BaseUnits,
  stakes: readonly StakeSnapshot[],
  phases: VotingPeriod,
): readonly StakeUse[] {
  if (amount === 0n) throw new RangeError('a vote needs power');
  const available = votingPowerIn(stakes, phases);
  const refusal = votingPowerRefusal(available);
  if (refusal) {
    const votingStartedAt = isoText(phases.voting.startsAt);
    throw new ServiceError(refusal, { required: String(amount), votingStartedAt });
  }
  if (available < amount) {
    throw new ServiceError('INSUFFICIENT_VOTING_POWER', { required: String(amount), available: String(available) });
  }
  const uses: StakeUse[] = [];
  let missing: bigint = amount;
  for (const stake of stakes.filter((one) => hasPowerIn(one, phases)).sort(byAge)) {
    const power = votingPower(stake);
    const part = power < missing ? power : missing;
    if (part > 0n) uses.push({ stakeId: stake.id, amount: baseUnits(part) });
    missing -= part;
  }
  return uses;
}

function byAge(a: StakeSnapshot, b: StakeSnapshot): number {
  return a.stakedAt - b.stakedAt || (a.id < b.id ? -1 : 1);
}
