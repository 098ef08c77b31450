import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { baseUnits, basisPoints, reachesShare } from '../platform/units/money.ts';
import {
  sumVotes,
  type VoteCount,
  voteOutcome,
  type VoteDecision,
  voteDecisions,
  type VoteStatus,
  voteStatuses,
} from './rules.ts';

const ballot = (approve: bigint, reject: bigint, base: bigint, vote = 5_000n, execution = 6_000n): VoteCount => ({
  circulating: baseUnits(0n),
  tally: { approve: baseUnits(approve), reject: baseUnits(reject), totalVoted: baseUnits(approve + reject) },
  quorumBase: baseUnits(base),
  thresholds: { vote: basisPoints(vote), execution: basisPoints(execution) },
});

describe('a vote', () => {
  test.each([
    ['one unit below the quorum', ballot(499n, 0n, 1_000n), 'quorum_not_reached'],
    ['at its quorum', ballot(500n, 0n, 1_000n), 'passed'],
    ['below a quorum that is not a whole unit', ballot(500n, 0n, 1_001n), 'quorum_not_reached'],
    ['above a quorum that is not a whole unit', ballot(501n, 0n, 1_001n), 'passed'],
    ['at the share that must approve', ballot(600n, 400n, 1_000n), 'passed'],
    ['one unit below it, though more approve', ballot(599n, 401n, 1_000n), 'rejected'],
    ['tied', ballot(500n, 500n, 1_000n), 'tied'],
    ['tied, at an execution threshold it would reach', ballot(500n, 500n, 1_000n, 1_000n, 5_000n), 'tied'],
    ['one unit above a tie, without an execution threshold', ballot(501n, 500n, 2_000n, 1_000n, 0n), 'passed'],
    ['one unit below a tie, without an execution threshold', ballot(500n, 501n, 2_000n, 1_000n, 0n), 'rejected'],
    ['tied and below its quorum', ballot(1n, 1n, 1_000n), 'quorum_not_reached'],
    ['without votes, whatever the quorum', ballot(0n, 0n, 1_000n, 0n), 'quorum_not_reached'],
    ['without eligible stakes', ballot(0n, 0n, 0n), 'quorum_not_reached'],
    ['all approve at 100 %', ballot(1_000n, 0n, 1_000n, 10_000n, 10_000n), 'passed'],
    ['one unit short of unanimity', ballot(999n, 1n, 1_000n, 10_000n, 10_000n), 'rejected'],
    // In doubles 2/3 of this is indistinguishable from the threshold's neighbour.
    [
      'a unit below 66.67 % of 3·10^18',
      ballot(2_000_100_000_000_000_000n - 1n, 999_900_000_000_000_001n, 3n * 10n ** 18n, 0n, 6_667n),
      'rejected',
    ],
    [
      'exactly 66.67 % of 3·10^18',
      ballot(2_000_100_000_000_000_000n, 999_900_000_000_000_000n, 3n * 10n ** 18n, 0n, 6_667n),
      'passed',
    ],
  ] as const)('%s: %#', (_name, given, outcome) => {
    expect(voteOutcome(given)).toBe(outcome);
  });
});

describe('a wallet that staked alone', () => {
  const alone = (voted: bigint, circulating: bigint) =>
    voteOutcome({ ...ballot(voted, 0n, voted), circulating: baseUnits(circulating) });

  test.each([
    ['decides nothing with 1 % of the tokens in circulation', 10n, 1_000n, 'quorum_not_reached'],
    ['decides nothing one unit below 10 %', 99n, 1_000n, 'quorum_not_reached'],
    ['decides from 10 % on', 100n, 1_000n, 'passed'],
    ['decides nothing one unit below 10 % that are not a whole unit', 100n, 1_001n, 'quorum_not_reached'],
    ['decides from the next unit on', 101n, 1_001n, 'passed'],
    ['decides nothing one unit below 10 % of 9.2·10^18', 92n * 10n ** 16n - 1n, 92n * 10n ** 17n, 'quorum_not_reached'],
    ['decides with 10 % of 9.2·10^18', 92n * 10n ** 16n, 92n * 10n ** 17n, 'passed'],
  ] as const)('%s', (_name, voted, circulating, outcome) => {
    expect(alone(voted, circulating)).toBe(outcome);
  });
});

const vote = (wallet: string, decision: VoteDecision, amount: bigint, status: VoteStatus = 'CAST') => ({
  wallet,
  decision,
  amount: baseUnits(amount),
  status,
});

test('revoked votes do not count; unconfirmed votes do', () => {
  const votes = [
    vote('a', 'APPROVE', 5n),
    vote('b', 'REJECT', 3n, 'CONFIRMED'),
    vote('a', 'REJECT', 100n, 'REVOKED'),
    vote('c', 'APPROVE', 7n, 'REVOKED'),
  ];
  expect(sumVotes(votes)).toEqual({ approve: 5n, reject: 3n, totalVoted: 8n, uniqueVoters: 2 });
  expect(sumVotes([])).toEqual({ approve: 0n, reject: 0n, totalVoted: 0n, uniqueVoters: 0 });
});

const power = fc.bigInt({ min: 0n, max: 10n ** 18n });
const share = fc.bigInt({ min: 0n, max: 10_000n });

test('the tally is the sum of the unrevoked votes in any order', () => {
  const anyVote = fc.tuple(fc.constantFrom(...voteDecisions), power, fc.constantFrom(...voteStatuses));
  fc.assert(
    fc.property(fc.array(anyVote), (rows) => {
      const votes = rows.map(([decision, amount, status], index) => vote(`w${index}`, decision, amount, status));
      const live = votes.filter(({ status }) => status !== 'REVOKED');
      const tally = sumVotes(votes);
      expect(tally.totalVoted).toBe(live.reduce((sum, { amount }) => sum + amount, 0n));
      expect(tally.approve + tally.reject).toBe(tally.totalVoted);
      expect(tally.uniqueVoters).toBe(live.length);
      expect(sumVotes(votes.toReversed())).toEqual(tally);
    }),
  );
});

test('a share is reached exactly at its smallest whole unit', () => {
  fc.assert(
    fc.property(share, power, (points, whole) => {
      const least = (points * whole + 9_999n) / 10_000n;
      expect(reachesShare(least, basisPoints(points), whole)).toBe(true);
      expect(least === 0n || !reachesShare(least - 1n, basisPoints(points), whole)).toBe(true);
    }),
  );
});

test('more approval never fails a passed vote, and no vote passes without a majority', () => {
  fc.assert(
    fc.property(power, power, power, share, share, power, (approve, reject, base, quorum, execution, more) => {
      const outcome = voteOutcome(ballot(approve, reject, base, quorum, execution));
      const raised = voteOutcome(ballot(approve + more, reject, base, quorum, execution));
      expect(outcome === 'passed' ? raised : 'passed').toBe('passed');
      expect(outcome !== 'passed' || approve > reject).toBe(true);
      expect(outcome !== 'tied' || approve === reject).toBe(true);
    }),
  );
});

test('a vote that fails with lower thresholds never passes with higher ones', () => {
  fc.assert(
    fc.property(power, power, power, share, share, share, share, (approve, reject, base, q1, q2, e1, e2) => {
      const lax = voteOutcome(ballot(approve, reject, base, q1 < q2 ? q1 : q2, e1 < e2 ? e1 : e2));
      const strict = voteOutcome(ballot(approve, reject, base, q1 < q2 ? q2 : q1, e1 < e2 ? e2 : e1));
      expect(strict !== 'passed' || lax === 'passed').toBe(true);
    }),
  );
});
