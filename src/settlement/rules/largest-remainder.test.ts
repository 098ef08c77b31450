import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { largestRemainder, type Share } from './distribution.ts';

const shares = (...weights: bigint[]): Share[] => weights.map((weight, i) => ({ id: `s${i}`, at: i, weight }));

test('units left over by the division go to the largest remainders', () => {
  expect(largestRemainder(10n, shares(5n, 3n, 3n))).toEqual([4n, 3n, 3n]);
  expect(largestRemainder(7n, shares(10n, 11n, 21n))).toEqual([2n, 2n, 3n]);
});

test('equal remainders are served by earliest time, then by id', () => {
  const late = { id: 'a', at: 2, weight: 1n };
  const early = { id: 'z', at: 1, weight: 1n };
  const twin = { id: 'b', at: 2, weight: 1n };
  expect(largestRemainder(1n, [late, early, twin])).toEqual([0n, 1n, 0n]);
  expect(largestRemainder(2n, [twin, late, early])).toEqual([0n, 1n, 1n]);
});

test('a positive total cannot be split among nobody', () => {
  expect(() => largestRemainder(1n, [])).toThrow(RangeError);
  expect(() => largestRemainder(1n, shares(0n, 0n))).toThrow(RangeError);
  expect(largestRemainder(0n, shares(0n))).toEqual([0n]);
  expect(largestRemainder(0n, [])).toEqual([]);
});

test('negative totals and weights are refused', () => {
  expect(() => largestRemainder(-1n, shares(1n))).toThrow(RangeError);
  expect(() => largestRemainder(1n, shares(2n, -1n))).toThrow(RangeError);
});

const anyShares = fc
  .array(fc.record({ at: fc.nat(3), weight: fc.bigInt({ min: 0n, max: 10n ** 18n }) }), { minLength: 1, maxLength: 60 })
  .map((rows) => rows.map((row, i) => ({ ...row, id: `s${i}` })))
  .filter((rows) => rows.some((row) => row.weight > 0n));
const anyTotal = fc.bigInt({ min: 0n, max: 10n ** 18n });

test('parts add up to the total and lie within one unit of the exact share', () => {
  fc.assert(
    fc.property(anyTotal, anyShares, (total, rows) => {
      const parts = largestRemainder(total, rows);
      const weights = rows.reduce((sum, row) => sum + row.weight, 0n);
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(total);
      for (const [i, row] of rows.entries()) {
        const floor = (total * row.weight) / weights;
        const exact = (total * row.weight) % weights === 0n;
        expect(parts[i]! - floor).toBeLessThanOrEqual(exact ? 0n : 1n);
        expect(parts[i]).toBeGreaterThanOrEqual(floor);
      }
    }),
  );
});

test('the order of the shares does not change the result', () => {
  fc.assert(
    fc.property(anyTotal, anyShares, (total, rows) => {
      const reversed = largestRemainder(total, rows.toReversed()).toReversed();
      expect(reversed).toEqual(largestRemainder(total, rows));
    }),
  );
});
