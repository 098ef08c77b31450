import { expect, test } from '@jest/globals';
import { lovelace } from '../../platform/units/money.ts';
import { averageQuorum, changeText } from './vault.ts';

test.each([
  [100n, 112n, '+12.00%'],
  [100n, 87n, '-13.00%'],
  [3n, 4n, '+33.33%'],
  [3n, 2n, '-33.33%'],
  [1_000_000n, 1_000_001n, '0.00%'],
  [0n, 5n, '0.00%'],
  [10n, 0n, '-100.00%'],
])('from %d to %d lovelace is a change of %s', (initial, current, text) => {
  expect(changeText(lovelace(initial), lovelace(current))).toBe(text);
});

test('the average quorum is the mean over closed votes, and 0 without one', () => {
  const turnout = (voted: bigint, eligible: bigint) => ({ voted, eligible });
  expect(averageQuorum([])).toBe(0n);
  expect(averageQuorum([turnout(1n, 2n), turnout(10n, 100n)])).toBe(3_000n);
  expect(averageQuorum([turnout(0n, 0n), turnout(5n, 5n)])).toBe(5_000n);
});
