import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant } from '../platform/units/time.ts';
import { baseUnits } from '../platform/units/money.ts';
import {
  allowedStakeActions,
  requireUnstakable,
  lockedUntil,
  usedPower,
  ownerAloneFrom,
  type StakeSnapshot,
  votingPower,
} from './rules.ts';

const held: StakeSnapshot = {
  id: 's',
  wallet: 'w',
  amount: baseUnits(10n),
  status: 'ACTIVE',
  stakedAt: instant(0),
  finalAt: instant(100),
  ownerAloneFrom: instant(10_000),
  leaving: false,
};
const use = (amount: bigint, executionEndsAt: number) => ({
  amount: baseUnits(amount),
  executionEndsAt: instant(executionEndsAt),
});

test('a stake has its whole amount as voting power while it is final and held, else none', () => {
  expect(votingPower(held)).toBe(10n);
  expect(votingPower({ ...held, status: 'LOCKED' })).toBe(10n);
  expect(votingPower({ ...held, finalAt: null })).toBe(0n);
  expect(votingPower({ ...held, leaving: true })).toBe(0n);
  expect(votingPower({ ...held, status: 'RELEASED' })).toBe(0n);
});

test('several open votes use the largest of their amounts and lock until the latest of their ends', () => {
  expect(usedPower([])).toBe(0n);
  expect(lockedUntil([])).toBeNull();
  const uses = [use(3n, 500), use(7n, 400), use(5n, 900)];
  expect(usedPower(uses)).toBe(7n);
  expect(lockedUntil(uses)).toBe(900);
});

test('used power never exceeds voting power as long as no single vote does', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 18n });
  fc.assert(
    fc.property(amount, fc.array(fc.tuple(amount, fc.nat())), (power, rows) => {
      const uses = rows.map(([part, end]) => use(part > power ? power : part, end));
      expect(usedPower(uses) <= power).toBe(true);
    }),
  );
});

test('after a year the owner can take a stake back alone', () => {
  expect(ownerAloneFrom(instant(5))).toBe(5 + 365 * 24 * 3_600_000);
});

describe('unstaking', () => {
  const leave = (change: Partial<StakeSnapshot>, until: number | null = null) => {
    requireUnstakable({ ...held, ...change, lockedUntil: until === null ? null : instant(until) });
  };
  test.each([
    [{ status: 'LOCKED' }, 'STAKE_LOCKED'],
    [{ finalAt: null }, 'STAKE_NOT_FINAL'],
    [{ leaving: true }, 'STAKE_ALREADY_LEAVING'],
    [{ status: 'RELEASED' }, 'STAKE_ALREADY_RELEASED'],
  ] as const)('is refused for %j with %s', (change, code) => {
    expect(() => {
      leave(change);
    }).toThrow(expect.objectContaining({ code }));
    const stake = { ...held, ...change, lockedUntil: null };
    const refused = (reason: string) => [{ action: 'unstake', allowed: false, reason }];
    expect(allowedStakeActions(stake, { actsForOwner: true })).toEqual(refused(code));
    expect(allowedStakeActions(stake, { actsForOwner: false })).toEqual(refused('INSUFFICIENT_PERMISSIONS'));
  });

  test('is allowed for a final, unused stake, and otherwise refused with the time it unlocks', () => {
    const open = [{ action: 'unstake', allowed: true, reason: null }];
    expect(allowedStakeActions({ ...held, lockedUntil: null }, { actsForOwner: true })).toEqual(open);
    expect(() => {
      leave({});
    }).not.toThrow();
    const details = { lockedUntil: '1970-01-01T00:00:09.000Z' };
    expect(() => {
      leave({ status: 'LOCKED' }, 9_000);
    }).toThrow(expect.objectContaining({ details }));
  });
});
