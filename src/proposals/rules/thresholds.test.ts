import { describe, expect, test } from '@jest/globals';
import { defaultDurationBounds } from '../../platform/units/time.ts';
import { baseUnits, basisPoints } from '../../platform/units/money.ts';
import {
  proposalThresholds,
  requireCreationThreshold,
  startReached,
  thresholdProblems,
  type SupplyShare,
} from './proposal.ts';
import { durationProblems, shorterPhaseProblems } from './phases.ts';

const points = (value: bigint) => basisPoints(value);
const vault = {
  creation: points(100n),
  start: points(200n),
  vote: points(3_000n),
  execution: points(5_000n),
  cosigning: points(50n),
};

describe('a proposal', () => {
  test('uses the thresholds of its vault, or its own if they are stricter', () => {
    expect(thresholdProblems(vault, vault)).toEqual([]);
    expect(proposalThresholds(vault, {})).toEqual(vault);
    expect(proposalThresholds(vault, { vote: points(3_000n), execution: points(10_000n) })).toEqual({
      ...vault,
      execution: 10_000n,
    });
  });

  test.each(['creation', 'start', 'vote', 'execution', 'cosigning'] as const)(
    'cannot lower the %s threshold',
    (name) => {
      const errors = [expect.objectContaining({ field: `governance_thresholds.${name}_threshold` })];
      const refusal = { code: 'THRESHOLD_BELOW_VAULT', details: { errors } };
      expect(() => proposalThresholds(vault, { [name]: points(vault[name] - 1n) })).toThrow(
        expect.objectContaining(refusal),
      );
    },
  );

  test('cannot set a threshold above 100 %, whatever its vault allows', () => {
    const asked = { vote: points(10_001n), start: points(0n) };
    const errors = [
      { code: 'THRESHOLD_BELOW_VAULT', field: 'governance_thresholds.start_threshold', message: expect.any(String) },
      { code: 'INVALID_REQUEST', field: 'governance_thresholds.vote_threshold', message: expect.any(String) },
    ];
    expect(() => proposalThresholds(vault, asked)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', details: { errors } }),
    );
  });
});

test('phase durations stay within the bounds of the deployment', () => {
  const problems = (durations: Parameters<typeof durationProblems>[0]) =>
    durationProblems(durations, defaultDurationBounds, 'proposal_details.').map(({ field }) => field);
  const hours = 3_600;
  expect(problems({ voting: 24 * hours, lock: 48 * hours, execution: 72 * hours })).toEqual([]);
  expect(problems({})).toEqual([]);
  expect(problems({ voting: 24 * hours - 1, lock: 48 * hours + 1, execution: 0 })).toEqual([
    'proposal_details.voting_duration',
    'proposal_details.lock_duration',
    'proposal_details.execution_duration',
  ]);
});

const share = (power: bigint, threshold: bigint, supply = 1_001n): SupplyShare => ({
  power: baseUnits(power),
  threshold: basisPoints(threshold),
  supply: baseUnits(supply),
});

test('a proposer needs at least the creation share staked, exact to the unit', () => {
  expect(() => {
    requireCreationThreshold(share(11n, 100n));
  }).not.toThrow();
  expect(() => {
    requireCreationThreshold(share(10n, 100n));
  }).toThrow(
    expect.objectContaining({
      code: 'CREATION_THRESHOLD_NOT_MET',
      details: { required: '1.00 %', staked: '10', supply: '1001' },
    }),
  );
});

test('voting opens when the start share is reached, immediately if that is zero', () => {
  expect(startReached(share(0n, 0n))).toBe(true);
  expect(startReached(share(20n, 200n))).toBe(false);
  expect(startReached(share(21n, 200n))).toBe(true);
});

test('a proposal cannot shorten the vote and the lock that its vault sets, but may lengthen them and shorten its execution', () => {
  const vault = { voting: 100, lock: 50 };
  const problems = (requested: object) => shorterPhaseProblems(vault, requested, 'phases.').map(({ field }) => field);
  expect(problems({ voting: 99, lock: 49, execution: 1 })).toEqual(['phases.voting_duration', 'phases.lock_duration']);
  expect(problems({ voting: 100, lock: 51 })).toEqual([]);
  expect(problems({})).toEqual([]);
  expect(shorterPhaseProblems({ voting: undefined, lock: undefined }, { voting: 1, lock: 1 }, '')).toEqual([]);
});
