import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant, secondsAfter } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, lovelace } from '../../platform/units/money.ts';
import { isStale, type Price, valuationTotals, valueOf } from '../rules.ts';

const asOf = instant(1_000_000);
const price = (amount: bigint, decimals = 0): Price => ({ lovelace: lovelace(amount), decimals, asOf, source: 'feed' });

describe('the counted value of an asset', () => {
  test('is its price per whole token times the counted percentage', () => {
    expect(valueOf(baseUnits(1n), price(250_000_000n), basisPoints(10_000n))).toBe(250_000_000n);
    expect(valueOf(baseUnits(1n), price(250_000_000n), basisPoints(8_000n))).toBe(200_000_000n);
    expect(valueOf(baseUnits(1_500_000n), price(2_000_000n, 6), basisPoints(10_000n))).toBe(3_000_000n);
  });

  test('is rounded down once, at the end', () => {
    // 3 of 10 units at 9 lovelace and 50 %: 1.35; flooring the price share first would make 0.
    expect(valueOf(baseUnits(3n), price(9n, 1), basisPoints(5_000n))).toBe(1n);
  });

  test('is at most the exact value and less than one lovelace below it', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 18n });
    const inputs = [amount, amount, fc.nat(9), fc.bigInt({ min: 0n, max: 10_000n })] as const;
    fc.assert(
      fc.property(...inputs, (quantity, each, decimals, points) => {
        const scale = 10n ** BigInt(decimals) * 10_000n;
        const value = valueOf(baseUnits(quantity), price(each, decimals), basisPoints(points));
        const missing = quantity * each * points - value * scale;
        expect(missing >= 0n && missing < scale).toBe(true);
      }),
    );
  });
});

test('a price is stale only when it is older than allowed, not at exactly that age', () => {
  expect(isStale(price(1n), secondsAfter(asOf, 60), 60)).toBe(false);
  expect(isStale(price(1n), instant(asOf + 60_001), 60)).toBe(true);
});

test('the total is the sum of NFT and CNT values', () => {
  const assets = [
    { type: 'NFT', value: lovelace(5n) },
    { type: 'CNT', value: lovelace(7n) },
    { type: 'NFT', value: lovelace(1n) },
  ] as const;
  expect(valuationTotals(assets)).toEqual({ total: 13n, nftValue: 6n, cntValue: 7n });
  expect(valuationTotals([])).toEqual({ total: 0n, nftValue: 0n, cntValue: 0n });
});
