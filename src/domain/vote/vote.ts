import { type ErrorCode, ServiceError } from '../errors.ts';
import { isoText } from '../units/instant.ts';
import { type BaseUnits, baseUnits } from '../units/money.ts';
import { isHeld, type StakeSnapshot, votingPower } from '../stake/stake.ts';
import { transitions } from '../transitions.ts';
import { type Span } from '../vault/window.ts';

export const voteDecisions = ['APPROVE', 'REJECT'] as const;
export type VoteDecision = (typeof voteDecisions)[number];

export const voteStatuses = ['CAST', 'CONFIRMED', 'REVOKED'] as const;
export type VoteStatus = (typeof voteStatuses)[number];

/** The next status of a vote; throws INVALID_TRANSITION. CONFIRMED → CAST undoes an anchor that was rolled back (design D6). */
export const voteTransition = transitions<VoteStatus>(
  'vote',
  { CAST: ['CONFIRMED', 'REVOKED'], CONFIRMED: ['REVOKED'], REVOKED: [] },
  { CONFIRMED: ['CAST'] },
);

/** Whether the vote counts; its confirmation is evidence, not a condition (design D26). */
export function isLiveVote(status: VoteStatus): boolean {
  return status !== 'REVOKED';
}

/** The code taking back a vote, null when there is none, is refused with while voting is open; undefined when it counts. */
export function revocationRefusal(status: VoteStatus | null): ErrorCode | undefined {
  if (status === null) return 'VOTE_NOT_FOUND';
  return isLiveVote(status) ? undefined : 'VOTE_ALREADY_REVOKED';
}

const words = new Map<string, VoteDecision>([
  ['yes', 'APPROVE'],
  ['approve', 'APPROVE'],
  ['no', 'REJECT'],
  ['reject', 'REJECT'],
]);

/** Reads yes, no, approve or reject in any case (design D25); undefined when it is none of them. */
export function parseDecision(text: string): VoteDecision | undefined {
  return words.get(text.toLowerCase());
}

/** A wallet's own word for its vote, as CIP-30 `signData` answers: COSE_Sign1 and COSE_Key in CBOR hex. */
export interface VoteSignature {
  /** Chosen by the wallet, new for each of its votes on the proposal. */
  readonly nonce: string;
  readonly signature: string;
  readonly key: string;
}

interface SignedVote extends Pick<VoteSignature, 'nonce'> {
  readonly proposalId: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
}

/** The text that a wallet signs to vote: the decision as it is stored, the amount in base units. */
export function voteMessage({ proposalId, decision, amount, nonce }: SignedVote): string {
  return `vote:${proposalId}:${decision}:${amount}:${nonce}`;
}

/** The phases of a proposal that decide who votes: when voting opened, and until when its stakes stay locked. */
export interface VotingPeriod {
  readonly voting: Span;
  readonly execution: Span;
}

/** Whether a stake has power in a proposal: final before voting began, still held, and its owner's alone only afterwards (design D24, D26). */
export function hasPowerIn(stake: StakeSnapshot, { voting, execution }: VotingPeriod): boolean {
  return (
    isHeld(stake) &&
    stake.finalAt !== null &&
    stake.finalAt < voting.startsAt &&
    execution.endsAt < stake.ownerAloneFrom
  );
}

/** The power of these stakes in a proposal: a wallet's own, or over all stakes the base of the quorum (design D26). */
export function votingPowerIn(stakes: readonly StakeSnapshot[], phases: VotingPeriod): BaseUnits {
  const counted = stakes.filter((stake) => hasPowerIn(stake, phases));
  return baseUnits(counted.reduce((sum, stake) => sum + votingPower(stake), 0n));
}

/** The code a wallet with this power in a proposal is refused with, whatever it votes; undefined when it can vote. */
export function votingPowerRefusal(power: BaseUnits): ErrorCode | undefined {
  return power === 0n ? 'NOT_STAKED_AT_SNAPSHOT' : undefined;
}

/** The part of a vote that one stake carries. */
export interface StakeUse {
  readonly stakeId: string;
  readonly amount: BaseUnits;
}

/**
 * Spreads a vote over its wallet's stakes, oldest first, then by id: the same stakes always give the same parts. Throws RangeError
 * for nothing, NOT_STAKED_AT_SNAPSHOT for a wallet without power here, INSUFFICIENT_VOTING_POWER for one with too little.
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
