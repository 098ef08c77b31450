import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { baseUnits, parseTokenAmount, printTokenAmount } from './money.ts';

test.each([
  [1, 0, 1n],
  [1_000_000, 6, 1_000_000_000_000n],
  [0.1, 1, 1n],
  [1.23, 9, 1_230_000_000n],
  ['0.000000001', 9, 1n],
  ['9007199254740993', 0, 9_007_199_254_740_993n],
  ['5.0', 6, 5_000_000n],
])('%p whole tokens of %d decimals are %p base units', (value, decimals, units) => {
  expect(parseTokenAmount(value, decimals)).toBe(units);
});

test.each([
  ['1.5', 0],
  ['0.0000001', 6],
  [-1, 0],
  ['-1', 0],
  ['', 0],
  ['1e3', 0],
  ['0x10', 0],
  [1e21, 0],
  [NaN, 0],
  [Infinity, 0],
])('%p is not an amount of a token with %d decimals', (value, decimals) => {
  expect(parseTokenAmount(value, decimals)).toBeUndefined();
});

test('a number that may have lost digits in JSON is refused rather than rounded', () => {
  expect(parseTokenAmount(JSON.parse('9007199254740993') as number, 0)).toBeUndefined();
  expect(parseTokenAmount(JSON.parse('123456789.123456789') as number, 9)).toBeUndefined();
  expect(parseTokenAmount(JSON.parse('123456789.123456') as number, 6)).toBe(123_456_789_123_456n);
});

const decimals = fc.integer({ min: 0, max: 9 });

test('a printed amount is parsed back, exact to the last unit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n }), decimals, (value, places) => {
      const units = baseUnits(value);
      expect(parseTokenAmount(printTokenAmount(units, places), places)).toBe(units);
    }),
  );
});

test('whole tokens are printed without a decimal point', () => {
  expect(printTokenAmount(baseUnits(5_000_000n), 6)).toBe('5');
  expect(printTokenAmount(baseUnits(1n), 6)).toBe('0.000001');
  expect(printTokenAmount(baseUnits(0n), 6)).toBe('0');
  expect(printTokenAmount(baseUnits(100n), 0)).toBe('100');
});

test('a JSON number means its decimal notation', () => {
  const digits = fc.integer({ min: 10 ** 4, max: 10 ** 15 - 1 });
  fc.assert(
    fc.property(digits, decimals, (value, places) => {
      expect(parseTokenAmount(value / 10 ** places, places)).toBe(BigInt(value));
    }),
  );
  expect(parseTokenAmount(1e-9, 9)).toBeUndefined();
});
