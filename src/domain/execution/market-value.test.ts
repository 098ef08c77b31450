import { expect, test } from '@jest/globals';
import { instant } from '../units/instant.ts';
import { baseUnits, lovelace } from '../units/money.ts';
import { purchaseValue } from './market-value.ts';

const purchase = (quantity: bigint) =>
  ({ terms: { quantity: baseUnits(quantity) } }) as Parameters<typeof purchaseValue>[0];
const bought = (marketLimit?: bigint) => ({
  type: 'CNT' as const,
  price: {
    lovelace: lovelace(1_000_000n),
    decimals: 2,
    asOf: instant(0),
    source: 'test',
    ...(marketLimit === undefined ? {} : { marketLimit: lovelace(marketLimit) }),
  },
});

test('a purchase at an open price pays at most what the market takes the asset for', () => {
  const thousandTokens = purchase(100_000n);
  expect(purchaseValue(thousandTokens, bought())).toBe(1_000_000_000n);
  expect(purchaseValue(thousandTokens, bought(2_000_000_000n))).toBe(1_000_000_000n);
  expect(purchaseValue(thousandTokens, bought(60_000_000n))).toBe(60_000_000n);
});
