import { expect, test } from '@jest/globals';
import { instant } from '../platform/units/instant.ts';
import { lovelace } from '../platform/units/money.ts';
import { createDaySpending } from './day-spending.ts';

const DAY_MS = 86_400_000;

test('a new day begins at midnight (UTC) with nothing spent', () => {
  let now = 10 * DAY_MS;
  const spending = createDaySpending({ now: () => instant(now) });
  expect(spending.today()).toBe(0n);
  spending.record(lovelace(7n));
  now = 11 * DAY_MS - 1;
  expect(spending.today()).toBe(7n);
  now += 1;
  expect(spending.today()).toBe(0n);
});
