import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { payoutOf } from './pot.ts';

const pots = fc.record({
  lovelace: fc.bigInt({ min: 0n, max: 45_000_000_000_000_000n }).map(lovelace),
  circulating: fc.bigInt({ min: 1n, max: 9_200_000_000_000_000_000n }).map(baseUnits),
});

describe('the pot of a vault that ends', () => {
  test('pays everything to whoever returns the last tokens', () => {
    fc.assert(
      fc.property(pots, (pot) => {
        expect(payoutOf(pot, pot.circulating)).toBe(pot.lovelace);
      }),
    );
  });

  test('never leaves less for the tokens of those who wait', () => {
    fc.assert(
      fc.property(pots, fc.bigInt({ min: 0n, max: 1_000_000n }), (pot, share) => {
        const amount = baseUnits((pot.circulating * share) / 1_000_000n);
        const left = pot.lovelace - payoutOf(pot, amount);
        expect(left * pot.circulating >= pot.lovelace * (pot.circulating - amount)).toBe(true);
      }),
    );
  });

  test('refuses more tokens than circulate', () => {
    expect(() => payoutOf({ lovelace: lovelace(1n), circulating: baseUnits(1n) }, baseUnits(2n))).toThrow(RangeError);
  });
});
