import { expect, test } from '@jest/globals';
import { instant } from '../platform/units/time.ts';
import { lovelace } from '../platform/units/money.ts';
import { type FundsOfDay, operatorFunds } from './rules.ts';

const DAY_MS = 86_400_000;
const at = (days: number) => instant(days * DAY_MS);
const fundsOfDay = (day: number, held: bigint, spent: bigint, seenAt = day + 1): FundsOfDay => ({
  day: at(day),
  held: lovelace(held),
  spent: lovelace(spent),
  seenAt: at(seenAt),
});

test('the funds suffice for as long as they would if the last days continued', () => {
  const days = [fundsOfDay(12, 600n, 30n, 12.5), fundsOfDay(11, 630n, 20n), fundsOfDay(10, 650n, 0n)];
  expect(operatorFunds(days)).toEqual({ held: 600n, seenAt: at(12.5), spentPerDay: 20n, runwayDays: 30 });
});

test('the first hour counts as a day, and without spending there is no end', () => {
  expect(operatorFunds([fundsOfDay(10, 600n, 6n, 10.01)])).toMatchObject({ spentPerDay: 6n, runwayDays: 100 });
  expect(operatorFunds([fundsOfDay(10, 600n, 0n)])).toMatchObject({ spentPerDay: 0n, runwayDays: null });
  expect(operatorFunds([])).toBeNull();
});
