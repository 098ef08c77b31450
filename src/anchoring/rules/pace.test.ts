import { expect, test } from '@jest/globals';
import { lovelace } from '../../platform/units/money.ts';
import { instant } from '../../platform/units/time.ts';
import { batchIntervalMs, maxWaitMsBefore, type Pace } from './pace.ts';

const production: Pace = { minIntervalMs: 5000, maxIntervalMs: 20_000, dailyBudget: lovelace(100_000_000n) };
const DAY_MS = 86_400_000;
/** An anchor of one fact costs less. */
const FEE = 180_000n;

test.each([
  [0n, 5000],
  [50_000_000n, 12_500],
  [100_000_000n, 20_000],
  [900_000_000n, 20_000],
])('with %d lovelace spent today, facts wait %d ms for each other', (spent, intervalMs) => {
  expect(batchIntervalMs(production, lovelace(spent))).toBe(intervalMs);
});

test('with equal intervals nothing is stretched, and without a budget every wait is the longest', () => {
  expect(batchIntervalMs({ ...production, maxIntervalMs: 5000 }, lovelace(99_000_000n))).toBe(5000);
  expect(batchIntervalMs({ ...production, dailyBudget: lovelace(0n) }, lovelace(0n))).toBe(20_000);
});

test('a day in which somebody always waits costs at most 815 ADA a process, and would cost 3,110 at the shortest interval', () => {
  const costOf = (pace: Pace) => {
    let spent = 0n;
    for (let ms = 0; ms < DAY_MS; ms += batchIntervalMs(pace, lovelace(spent))) spent += FEE;
    return Number(spent / 1_000_000n);
  };
  expect(costOf({ ...production, maxIntervalMs: 5000 })).toBe(3110);
  expect(costOf(production)).toBe(815);
});

test('what has deadlines is written two seconds before the next one; what is late takes nothing along', () => {
  const now = instant(1_000_000);
  expect(maxWaitMsBefore([instant(1_015_000)], now)).toBe(13_000);
  expect(maxWaitMsBefore([instant(999_000), instant(1_030_000), instant(1_015_000)], now)).toBe(13_000);
  expect(maxWaitMsBefore([instant(1_001_000)], now)).toBe(0);
  expect(maxWaitMsBefore([now], now)).toBe(Infinity);
  expect(maxWaitMsBefore([], now)).toBe(Infinity);
});
