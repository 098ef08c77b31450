import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defaultDurationBounds, instant } from '../../platform/units/time.ts';
import {
  draftDeadline,
  phaseNames,
  planPhases,
  defaultPhaseDurations,
  type ProposalSnapshot,
  phaseAt,
} from './phases.ts';
import { failureReasons, proposalStatuses } from './proposal.ts';

/** Voting 1,000–11,000 ms, lock until 16,000, execution until 24,000. */
const phases = planPhases(instant(1_000), { voting: 10, lock: 5, execution: 8 });
const snapshotOf = (change: Partial<ProposalSnapshot>): ProposalSnapshot => ({
  status: 'ACTIVE',
  failureReason: null,
  endedAt: null,
  draftExpiresAt: instant(1_000),
  phases,
  outcome: 'passed',
  executionSent: false,
  ...change,
});
const draft = snapshotOf({ status: 'DRAFT', phases: null });
const shown = (proposal: ProposalSnapshot, now: number) => {
  const { status, failureReason, phase, overdueSeconds, phaseStatuses } = phaseAt(proposal, instant(now));
  const statuses = phaseNames.map((name) => phaseStatuses[name].slice(0, 4)).join(' ');
  return [failureReason ?? status, phase, statuses, overdueSeconds];
};

test('phases follow each other from the instant voting opens', () => {
  expect(phases).toEqual({
    voting: { startsAt: 1_000, endsAt: 11_000 },
    lock: { startsAt: 11_000, endsAt: 16_000 },
    execution: { startsAt: 16_000, endsAt: 24_000 },
  });
  expect(draftDeadline(instant(0))).toBe(7 * 24 * 3_600_000);
});

test('default durations are limited to the bounds of the deployment', () => {
  expect(defaultPhaseDurations(defaultDurationBounds)).toEqual({ voting: 259_200, lock: 86_400, execution: 172_800 });
  const seconds = { min: 1, max: 5 };
  expect(
    defaultPhaseDurations({ ...defaultDurationBounds, voting: seconds, lock: { min: 100_000, max: 200_000 } }),
  ).toEqual({
    voting: 5,
    lock: 100_000,
    execution: 172_800,
  });
});

describe('the displayed state of a proposal', () => {
  test.each([
    ['a draft', draft, 999, ['DRAFT', 'draft', 'PEND PEND PEND', 0]],
    ['a draft whose time is over', draft, 3_500, ['draft_expired', 'ended', 'FAIL FAIL FAIL', 2]],
    ['the vote', snapshotOf({}), 10_999, ['ACTIVE', 'voting', 'ACTI PEND PEND', 0]],
    ['a vote that ended just now', snapshotOf({}), 11_000, ['PASSED', 'lock', 'COMP ACTI PEND', 0]],
    ['a vote that is not closed yet', snapshotOf({}), 13_500, ['PASSED', 'lock', 'COMP ACTI PEND', 2]],
    [
      'a lost vote that is not closed yet',
      snapshotOf({ outcome: 'tied' }),
      13_500,
      ['tied', 'ended', 'FAIL FAIL FAIL', 2],
    ],
    ['a vote that is not closed for long', snapshotOf({}), 20_000, ['PASSED', 'execution', 'COMP COMP ACTI', 9]],
    ['the lock phase', snapshotOf({ status: 'PASSED' }), 15_999, ['PASSED', 'lock', 'COMP ACTI PEND', 0]],
    ['the execution phase', snapshotOf({ status: 'PASSED' }), 16_000, ['PASSED', 'execution', 'COMP COMP ACTI', 0]],
    [
      'an execution that was sent by a clock that is ahead',
      snapshotOf({ status: 'PASSED', executionSent: true }),
      15_999,
      ['PASSED', 'execution', 'COMP COMP ACTI', 0],
    ],
    [
      'a window that elapsed',
      snapshotOf({ status: 'PASSED' }),
      25_000,
      ['execution_window_elapsed', 'ended', 'COMP COMP FAIL', 1],
    ],
    [
      'an execution still on its way',
      snapshotOf({ status: 'PASSED', executionSent: true }),
      25_000,
      ['PASSED', 'execution', 'COMP COMP ACTI', 1],
    ],
    ['an executed one', snapshotOf({ status: 'EXECUTED' }), 99_000, ['EXECUTED', 'ended', 'COMP COMP COMP', 0]],
  ] as const)('%s', (_name, proposal, now, expected) => {
    expect(shown(proposal, now)).toEqual(expected);
  });

  test.each([
    ['rejected', 11_000, 'FAIL FAIL FAIL'],
    ['asset_in_another_proposal', 11_000, 'FAIL FAIL FAIL'],
    ['cancelled', 9_000, 'FAIL FAIL FAIL'],
    ['cancelled', 12_000, 'COMP FAIL FAIL'],
    ['cancelled', 17_000, 'COMP COMP FAIL'],
    ['execution_failed', 18_000, 'COMP COMP FAIL'],
    ['execution_window_elapsed', 24_000, 'COMP COMP FAIL'],
  ] as const)('shows %s at %d in the phase in which it happened', (failureReason, endedAt, statuses) => {
    const proposal = snapshotOf({ status: 'FAILED', failureReason, endedAt: instant(endedAt) });
    expect(shown(proposal, 99_000)).toEqual([failureReason, 'ended', statuses, 0]);
  });

  test('shows a cancelled draft without phases', () => {
    const proposal = snapshotOf({ status: 'FAILED', failureReason: 'cancelled', endedAt: instant(5), phases: null });
    expect(shown(proposal, 99_000)).toEqual(['cancelled', 'ended', 'FAIL FAIL FAIL', 0]);
  });
});

test('at most one phase is active, completed phases come first, and the displayed state never goes back', () => {
  const anyFacts = fc.record({
    status: fc.constantFrom(...proposalStatuses),
    standing: fc.constantFrom('passed' as const, 'tied' as const),
    executionSent: fc.boolean(),
    reason: fc.constantFrom(...failureReasons),
    now: fc.integer({ min: 0, max: 30_000 }),
    later: fc.integer({ min: 0, max: 30_000 }),
  });
  const rank = { draft: 0, voting: 1, lock: 2, execution: 3, ended: 4 };
  fc.assert(
    fc.property(anyFacts, ({ reason, now, later, ...given }) => {
      const failed = given.status === 'FAILED';
      const proposal = snapshotOf({
        ...given,
        failureReason: failed ? reason : null,
        endedAt: failed ? instant(now) : null,
      });
      const view = phaseAt(proposal, instant(now));
      const order = phaseNames.map((name) =>
        ['COMPLETED', 'ACTIVE', 'PENDING', 'FAILED'].indexOf(view.phaseStatuses[name]),
      );
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(order.filter((position) => position === 1)).toHaveLength(
        view.phase === 'draft' || view.phase === 'ended' ? 0 : 1,
      );
      expect(rank[phaseAt(proposal, instant(now + later)).phase]).toBeGreaterThanOrEqual(rank[view.phase]);
    }),
  );
});

test('a proposal past its draft must have phases', () => {
  expect(() => phaseAt(snapshotOf({ phases: null }), instant(0))).toThrow(RangeError);
});
