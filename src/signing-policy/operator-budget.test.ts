import { expect, test } from '@jest/globals';
import type { TransactionKind } from '../transactions/rules.ts';
import { type Instant, instant } from '../platform/units/time.ts';
import { lovelace } from '../platform/units/money.ts';
import { createOperatorBudget, type Purpose } from './operator-budget.ts';

const DAY_MS = 86_400_000;
const spent = (day: number) =>
  expect.objectContaining({
    code: 'OPERATOR_BUDGET_SPENT',
    details: { resumesAt: new Date((day + 1) * DAY_MS).toISOString() },
  });

function budgetOf(bound: bigint) {
  let now = 20_000 * DAY_MS;
  let uptime = 0;
  const alarms: Purpose[] = [];
  const made = createOperatorBudget({
    clock: { now: (): Instant => instant(now) },
    uptimeMs: () => uptime,
    bound: lovelace(bound),
    onSpent: (purpose) => alarms.push(purpose),
  });
  let signed = 0;
  // Each of another transaction.
  const pay = (kind: TransactionKind, amount: bigint, hash = String((signed += 1))) => {
    made.pay(kind, amount, hash);
  };
  return {
    budget: { ...made, pay },
    alarms,
    pass: (ms: number) => {
      now += ms;
      uptime += Math.max(0, ms);
    },
    move: (ms: number) => (now += ms),
  };
}

test('what begins something has half of the day, what continues has the rest, and anchors have a day of their own', () => {
  const { budget, alarms } = budgetOf(100n);
  budget.pay('create_vault', 30n);
  budget.pay('fan_out', 20n);
  for (const start of ['create_vault', 'fan_out', 'add_asset'] as const)
    expect(() => {
      budget.pay(start, 1n);
    }).toThrow(spent(20_000));
  budget.pay('mint', 50n);
  expect(() => {
    budget.pay('execute', 1n);
  }).toThrow(spent(20_000));
  budget.pay('anchor', 100n);
  expect(() => {
    budget.pay('anchor', 1n);
  }).toThrow(spent(20_000));
  expect(budget.today()).toMatchObject({ anchors: 100n, others: 100n, bound: 100n });
  // Each is one alarm, however often it is asked for.
  expect(alarms).toEqual(['starts', 'others', 'anchors']);
});

test('what costs the operator nothing is never stopped', () => {
  const { budget } = budgetOf(0n);
  expect(() => {
    budget.pay('mint', 1n);
  }).toThrow(spent(20_000));
  for (const kind of ['refund', 'deliver', 'remove_asset', 'claim', 'liquidity'] as const)
    for (const amount of [0n, -5n])
      expect(() => {
        budget.pay(kind, amount);
      }).not.toThrow();
});

test('the first that finds no room ends the day for its purpose, and midnight (UTC) begins another', () => {
  const { budget, alarms, pass } = budgetOf(100n);
  pass(DAY_MS - 1);
  budget.pay('mint', 60n);
  expect(budget.hasBudget('mint')).toBe(true);
  expect(() => {
    budget.pay('hand_over', 50n);
  }).toThrow(spent(20_000));
  expect(() => {
    budget.requireBudget('mint');
  }).toThrow(spent(20_000));
  expect(() => {
    budget.pay('mint', 1n);
  }).toThrow(spent(20_000));
  expect([...budget.today().stopped]).toEqual(['others']);

  pass(1);
  expect([...budget.today().stopped]).toEqual([]);
  budget.pay('hand_over', 50n);
  expect(budget.today()).toMatchObject({ anchors: 0n, others: 50n });
  expect(alarms).toEqual(['others']);
});

test('a clock that goes back to an earlier day gives nothing back', () => {
  const { budget, pass } = budgetOf(100n);
  budget.pay('mint', 100n);
  pass(-DAY_MS);
  expect(() => {
    budget.pay('mint', 1n);
  }).toThrow(spent(20_000));
});

test('a clock that was ahead for a moment ends no day but the one that follows', () => {
  const { budget, pass, move } = budgetOf(10n);
  move(365 * DAY_MS);
  budget.pay('mint', 10n);
  move(-365 * DAY_MS);
  pass(DAY_MS - 1);
  expect(budget.hasBudget('mint')).toBe(true);
  expect(() => {
    budget.pay('mint', 1n);
  }).toThrow(spent(20_365));
  pass(1);
  budget.pay('mint', 10n);
  expect(() => {
    budget.pay('mint', 1n);
  }).toThrow(spent(20_001));
});
