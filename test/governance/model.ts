import type { ErrorCode } from '../../src/platform/error-registry.ts';

/**
 * A second, minimal implementation of the governance rules (design D22–D26) that the service is compared with.
 * Time is in hours, power in whole tokens of a supply of one million, of which holders have 950,000.
 */
export interface Model {
  hour: number;
  readonly stakes: Stake[];
  proposals: Proposal[];
}

export const members = ['alice', 'bob', 'carol'] as const;
export type Member = (typeof members)[number];

export interface Stake {
  readonly id: string;
  readonly owner: Member;
  readonly tokens: number;
  readonly since: number;
  returned: boolean;
}

export interface Vote {
  readonly id: string;
  readonly voter: Member;
  readonly approves: boolean;
  readonly tokens: number;
  readonly parts: ReadonlyMap<Stake, number>;
  live: boolean;
}

export interface Proposal {
  readonly id: string;
  readonly createdAt: number;
  /** The proposer first. */
  readonly endorsers: Member[];
  /** The hour voting began and the stakes that had power then, oldest first; null in a draft. */
  opened: { readonly at: number; readonly electorate: readonly Stake[] } | null;
  readonly votes: Vote[];
  passed: boolean;
  failure: string | null;
}

type Refusal = ErrorCode | null;

const [DRAFT, VOTING, LOCK, EXECUTION] = [168, 72, 96, 144];
const CUSTODY_HOURS = 365 * 24;
const [CREATION, START, TURNOUT] = [10_000, 50_000, 95_000];

const unreturnedStakes = ({ stakes }: Model) => stakes.filter(({ returned }) => !returned);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const tokensOf = (stakes: readonly Stake[]) => sum(stakes.map(({ tokens }) => tokens));
export const stakedBy = (world: Model, owners: readonly Member[]) =>
  tokensOf(unreturnedStakes(world).filter(({ owner }) => owners.includes(owner)));

export const liveVotes = ({ votes }: Proposal) => votes.filter(({ live }) => live);
const liveVoteOf = (proposal: Proposal, member: Member) => liveVotes(proposal).find(({ voter }) => voter === member);
export const tally = (proposal: Proposal, approves: boolean) =>
  sum(liveVotes(proposal).flatMap((vote) => (vote.approves === approves ? vote.tokens : [])));

/** Tokens of a stake that votes of unfinished proposals use; null if no vote uses it. */
export function usedTokensOf({ proposals }: Model, stake: Stake): number | null {
  const parts = proposals
    .filter(({ failure }) => failure === null)
    .flatMap((proposal) => liveVotes(proposal).flatMap(({ parts: used }) => used.get(stake) ?? []));
  return parts.length === 0 ? null : Math.max(...parts);
}

export function statusOf({ opened, passed, failure }: Proposal): string {
  if (failure !== null) return 'FAILED';
  if (passed) return 'PASSED';
  return opened === null ? 'DRAFT' : 'ACTIVE';
}

function electorateOf({ opened }: Proposal, voter?: Member): Stake[] {
  const counted = (opened?.electorate ?? []).filter(({ returned }) => !returned);
  return counted.filter(({ owner }) => voter === undefined || owner === voter);
}

export const proposeRefusal = (world: Model, proposer: Member): Refusal =>
  stakedBy(world, [proposer]) < CREATION ? 'CREATION_THRESHOLD_NOT_MET' : null;

export function propose(world: Model, id: string, proposer: Member): void {
  const draft = { id, createdAt: world.hour, endorsers: [proposer], opened: null, votes: [] };
  const proposal = { ...draft, passed: false, failure: null };
  world.proposals.push(proposal);
  openWhenEndorsed(world, proposal);
}

export function endorseRefusal(world: Model, proposal: Proposal, member: Member): Refusal {
  if (statusOf(proposal) !== 'DRAFT') return 'ENDORSING_CLOSED';
  if (stakedBy(world, [member]) === 0) return 'INSUFFICIENT_VOTING_POWER';
  const opensNow = stakedBy(world, proposal.endorsers) >= START;
  return proposal.endorsers.includes(member) && !opensNow ? 'ALREADY_ENDORSED' : null;
}

export function endorse(world: Model, proposal: Proposal, member: Member): void {
  proposal.endorsers.push(member);
  openWhenEndorsed(world, proposal);
}

function openWhenEndorsed(world: Model, proposal: Proposal): void {
  if (stakedBy(world, proposal.endorsers) < START) return;
  const electorate = unreturnedStakes(world).filter(({ since }) => world.hour + EXECUTION < since + CUSTODY_HOURS);
  proposal.opened = { at: world.hour, electorate };
}

const votingClosedRefusal = (proposal: Proposal): Refusal => {
  const status = statusOf(proposal);
  if (status === 'DRAFT') return 'VOTING_NOT_OPEN';
  return status === 'ACTIVE' ? null : 'VOTING_CLOSED';
};

export function voteRefusal(proposal: Proposal, voter: Member, tokens: number): Refusal {
  const power = tokensOf(electorateOf(proposal, voter));
  return (
    votingClosedRefusal(proposal) ?? (power === 0 ? 'NOT_STAKED_AT_SNAPSHOT' : null) ?? powerRefusal(tokens, power)
  );
}

const powerRefusal = (tokens: number, power: number): Refusal => (tokens > power ? 'INSUFFICIENT_VOTING_POWER' : null);

export function vote(proposal: Proposal, { id, voter, approves, tokens }: Omit<Vote, 'parts' | 'live'>): void {
  const previous = liveVoteOf(proposal, voter);
  if (previous) previous.live = false;
  const parts = new Map<Stake, number>();
  let missing = tokens;
  for (const stake of electorateOf(proposal, voter)) {
    if (missing > 0) parts.set(stake, Math.min(missing, stake.tokens));
    missing -= stake.tokens;
  }
  proposal.votes.push({ id, voter, approves, tokens, parts, live: true });
}

export function revokeRefusal(proposal: Proposal, { live }: Vote): Refusal {
  return votingClosedRefusal(proposal) ?? (live ? null : 'VOTE_ALREADY_REVOKED');
}

export function unstakeRefusal(world: Model, stake: Stake): Refusal {
  if (stake.returned) return 'STAKE_ALREADY_RELEASED';
  return usedTokensOf(world, stake) === null ? null : 'STAKE_LOCKED';
}

/** Advances the time and ends every phase that is over by then. */
export function advanceHours(world: Model, hours: number): void {
  world.hour += hours;
  for (const proposal of world.proposals) {
    const { opened, createdAt } = proposal;
    if (proposal.failure !== null) continue;
    if (opened === null) {
      if (world.hour >= createdAt + DRAFT) proposal.failure = 'draft_expired';
      continue;
    }
    if (!proposal.passed && world.hour >= opened.at + VOTING) close(proposal);
    if (proposal.passed && world.hour >= opened.at + EXECUTION) proposal.failure = 'execution_window_elapsed';
  }
}

function close(proposal: Proposal): void {
  const [approve, reject] = [tally(proposal, true), tally(proposal, false)];
  const voted = approve + reject;
  const isQuorate = voted >= TURNOUT && voted * 100 >= 30 * tokensOf(electorateOf(proposal));
  if (!isQuorate) proposal.failure = 'quorum_not_reached';
  else if (approve === reject) proposal.failure = 'tied';
  else if (approve < reject || approve * 100 < 51 * voted) proposal.failure = 'rejected';
  else proposal.passed = true;
}

export const phaseOf = (world: Model, proposal: Proposal): string => {
  if (proposal.failure !== null) return 'ended';
  if (proposal.opened === null) return 'draft';
  if (!proposal.passed) return 'voting';
  return world.hour < proposal.opened.at + LOCK ? 'lock' : 'execution';
};
