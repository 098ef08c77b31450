import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { basisPoints, parsePercentage, percentageNumber, printPercentage } from './money.ts';

test.each([
  [50, 5_000n],
  [12.5, 1_250n],
  [0.29, 29n],
  ['33.33', 3_333n],
  ['5.0', 500n],
  ['0', 0n],
])('%p is %p basis points', (value, points) => {
  expect(parsePercentage(value)).toBe(points);
});

test.each([33.333, '33.333', -1, '-1', '', '.5', '5.', '1e2', 1e-7, NaN, Infinity, '5 %', '0x10'])(
  '%p is not a percentage with two decimals',
  (value) => {
    expect(parsePercentage(value)).toBeUndefined();
  },
);

test('a printed percentage is parsed back, as text and as number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), (value) => {
      const points = basisPoints(value);
      expect(parsePercentage(printPercentage(points))).toBe(points);
      expect(parsePercentage(percentageNumber(points))).toBe(points);
    }),
  );
  expect(printPercentage(basisPoints(5n))).toBe('0.05');
});
