import type { ErrorCode } from '../platform/error-registry.ts';
import { ServiceError } from '../platform/errors.ts';
import { transitions } from '../platform/states.ts';
import { isoText } from '../platform/units/time.ts';
import { type BaseUnits, baseUnits, type BasisPoints, basisPoints, reachesShare } from '../platform/units/money.ts';
import { type StakeSnapshot, isHeld, votingPower } from '../staking/rules.ts';
import type { Span } from '../vaults/rules/window.ts';

export const voteDecisions = ['APPROVE', 'REJECT'] as const;
export type VoteDecision = (typeof voteDecisions)[number];

export const voteStatuses = ['CAST', 'CONFIRMED', 'REVOKED'] as const;
export type VoteStatus = (typeof voteStatuses)[number];

/** The next status of a vote. CONFIRMED → CAST reverts a vote whose anchor was rolled back (design D6). */
export const voteTransition = transitions<VoteStatus>(
  'vote',
  { CAST: ['CONFIRMED', 'REVOKED'], CONFIRMED: ['REVOKED'], REVOKED: [] },
  { CONFIRMED: ['CAST'] },
);

/** Whether the vote counts. It counts before its anchor is confirmed (design D26). */
function isLiveVote(status: VoteStatus): boolean {
  return status !== 'REVOKED';
}

/** The error code if the vote cannot be revoked while voting is open; `null` means that no vote exists. Undefined if it can. */
export function revocationRefusal(status: VoteStatus | null): ErrorCode | undefined {
  if (status === null) return 'VOTE_NOT_FOUND';
  return isLiveVote(status) ? undefined : 'VOTE_ALREADY_REVOKED';
}

const decisions = new Map<string, VoteDecision>([
  ['yes', 'APPROVE'],
  ['approve', 'APPROVE'],
  ['no', 'REJECT'],
  ['reject', 'REJECT'],
]);

/** Parses yes, no, approve or reject, not case-sensitive (design D25); undefined for any other text. */
export function parseDecision(text: string): VoteDecision | undefined {
  return decisions.get(text.toLowerCase());
}

/** A vote's signature by its wallet, from CIP-30 `signData`: COSE_Sign1 and COSE_Key in CBOR hex. */
export interface VoteSignature {
  /** Chosen by the wallet; each of its votes on the proposal needs a new one. */
  readonly nonce: string;
  readonly signature: string;
  readonly key: string;
}

export interface SignedVote extends Pick<VoteSignature, 'nonce'> {
  readonly proposalId: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
}

/** The text that a wallet signs to vote: the decision as stored, the amount in base units. */
export function voteMessage({ proposalId, decision, amount, nonce }: SignedVote): string {
  return `vote:${proposalId}:${decision}:${amount}:${nonce}`;
}

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

/** The sums of the live votes of a proposal, in base units. */
export interface Tally {
  readonly approve: BaseUnits;
  readonly reject: BaseUnits;
  readonly totalVoted: BaseUnits;
  /** Number of wallets with a live vote. */
  readonly uniqueVoters: number;
}

/** A vote with its weight in base units. */
interface WeightedVote {
  readonly wallet: string;
  readonly decision: VoteDecision;
  readonly amount: BaseUnits;
  readonly status: VoteStatus;
}

/** Sums live votes; revoked and replaced votes do not count. */
export function sumVotes(votes: Iterable<WeightedVote>): Tally {
  const power = { APPROVE: 0n, REJECT: 0n };
  const wallets = new Set<string>();
  for (const { wallet, decision, amount, status } of votes) {
    if (!isLiveVote(status)) continue;
    power[decision] += amount;
    wallets.add(wallet);
  }
  return {
    approve: baseUnits(power.APPROVE),
    reject: baseUnits(power.REJECT),
    totalVoted: baseUnits(power.APPROVE + power.REJECT),
    uniqueVoters: wallets.size,
  };
}

/** The outcome of a closed vote; every outcome but `passed` is a failure reason (design D23). */
export type VoteOutcome = 'passed' | 'quorum_not_reached' | 'rejected' | 'tied';

/** What the outcome of a vote is computed from. */
export interface VoteCount {
  readonly tally: Pick<Tally, 'approve' | 'reject' | 'totalVoted'>;
  /** Base units of all stakes that can vote (design D26). */
  readonly quorumBase: BaseUnits;
  /** Base units of all tokens that holders have; 0 for votes that were counted before there was a minimum turnout. */
  readonly circulating: BaseUnits;
  readonly thresholds: { readonly vote: BasisPoints; readonly execution: BasisPoints };
}

/**
 * 10 %, the smallest quorum of the specification: the part of the tokens in circulation that must vote, however few are staked.
 * Otherwise the first wallet to stake would decide alone.
 */
export const MIN_TURNOUT = basisPoints(1_000n);

/**
 * The outcome of a vote (design D22). The quorum requires at least one vote, voted ≥ vote threshold · quorum base and
 * voted ≥ 10 % of the tokens in circulation. Then
 * approve = reject is a tie, and the vote passes when approve > reject and approve ≥ execution threshold · voted.
 */
export function voteOutcome({
  tally: { approve, reject, totalVoted },
  quorumBase,
  circulating,
  thresholds,
}: VoteCount): VoteOutcome {
  const isQuorate = reachesShare(totalVoted, thresholds.vote, quorumBase);
  if (totalVoted === 0n || !isQuorate || !reachesShare(totalVoted, MIN_TURNOUT, circulating))
    return 'quorum_not_reached';
  if (approve === reject) return 'tied';
  return approve > reject && reachesShare(approve, thresholds.execution, totalVoted) ? 'passed' : 'rejected';
}
