import { expect, test } from '@jest/globals';
import { instant } from '../platform/units/time.ts';
import { lovelace } from '../platform/units/money.ts';
import { createDaySpending, inAnchorChainOrder } from './anchor-chain.ts';

const output = (ada: bigint) => ({
  txHash: 'ab'.repeat(32),
  index: Number(ada),
  address: 'addr_test1',
  lovelace: lovelace(ada * 1_000_000n),
  assets: new Map<string, bigint>(),
});

test('an anchor chain takes the smallest output that is large enough, so that vaults keep what they are created with', () => {
  const ordered = inAnchorChainOrder([output(45_998n), output(100n), output(3n), output(250n), output(60n)]);
  expect(ordered.map(({ lovelace: coin }) => coin / 1_000_000n)).toEqual([100n, 250n, 45_998n, 60n, 3n]);
});

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
