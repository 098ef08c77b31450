import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { basisPoints, lovelace } from '../../platform/units/money.ts';
import { countValuation, type LowValuations } from './floor-price-deviation.ts';

const at = (hours: number) => instant(new Date(Date.UTC(2026, 10, 23) + hours * 3_600_000));
const none: LowValuations = { count: 0, countedAt: null };
const held = (current: bigint, hours: number, settled: bigint | null = 100n) => ({
  settled: settled === null ? null : lovelace(settled),
  current: lovelace(current),
  pricedAt: at(hours),
});
const half = basisPoints(5_000n);
const count = (assets: Parameters<typeof countValuation>[0], hours: number, counted = none) =>
  countValuation(assets, half, counted, { now: at(hours), maxAge: 24 * 3600 });

test('valuations in a row that reach the deviation are counted, and one above it begins again', () => {
  const first = count([held(50n, 1)], 1);
  expect(first).toEqual({ count: 1, countedAt: at(1) });
  const second = count([held(10n, 2)], 2, first);
  expect(second.count).toBe(2);
  expect(count([held(51n, 3)], 3, second)).toEqual({ count: 0, countedAt: at(3) });
});

test('stale prices, and prices that were counted before, count neither way', () => {
  const counted = { count: 2, countedAt: at(5) };
  expect(count([held(1n, 6)], 31, counted)).toEqual(counted);
  expect(count([held(1n, 5)], 6, counted)).toEqual(counted);
  expect(count([held(1n, 7), held(1n, 4)], 8, counted)).toEqual(counted);
  expect(count([held(1n, 7), held(100n, 60)], 8, counted)).toEqual(counted);
});

test('an asset whose price is stale neither hides what is sure without it nor decides anything', () => {
  const dust = { ...held(1n, 1), settled: lovelace(1n) };
  const counted = { count: 1, countedAt: at(20) };
  expect(count([held(40n, 30), dust], 30, counted)).toEqual({ count: 2, countedAt: at(30) });
  expect(count([held(90n, 30), dust], 30, counted)).toEqual({ count: 0, countedAt: at(30) });
  expect(count([held(90n, 30), held(100n, 1)], 30, counted)).toEqual(counted);
  expect(count([held(0n, 30), held(300n, 1)], 30, counted)).toEqual(counted);
  expect(count([dust], 30, counted)).toEqual(counted);
});

test('what was sold or bought since the settlement changes nothing, and without a deviation nothing is counted', () => {
  expect(count([held(60n, 1), held(0n, 1, null)], 1).count).toBe(0);
  expect(count([held(40n, 1), held(1_000n, 1, null)], 1).count).toBe(1);
  expect(count([held(40n, 1, null)], 1)).toEqual(none);
  expect(countValuation([held(0n, 1)], basisPoints(0n), none, { now: at(1), maxAge: 24 * 3600 })).toEqual(none);
});

test('a price that an admin has set keeps no fall of the market from being counted, and is no valuation by itself', () => {
  const custom = { settled: lovelace(100n), current: lovelace(100n), pricedAt: null };
  expect(count([custom, held(10n, 30), held(10n, 31)], 31)).toEqual({ count: 1, countedAt: at(31) });
  expect(count([custom, held(10n, 30)], 31).count).toBe(0);
  expect(count([custom, held(10n, 5), held(10n, 30)], 31)).toEqual(none);
  expect(count([custom], 31)).toEqual(none);
});
