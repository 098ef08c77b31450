import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant } from '../units/instant.ts';
import { balanceAfter, type Movement } from './statement.ts';

const movement = fc.record({
  at: fc.constant(instant(0)),
  transactionHash: fc.constant('aa'),
  direction: fc.constantFrom('in' as const, 'out' as const),
  address: fc.constant('addr'),
  place: fc.constant('custody' as const),
  lovelace: fc.bigInt({ min: 0n, max: 2n ** 60n }),
  assets: fc
    .dictionary(fc.constantFrom('a', 'b'), fc.bigInt({ min: 1n, max: 2n ** 60n }))
    .map((assets) => new Map(Object.entries(assets))),
});
const empty = { lovelace: 0n, assets: new Map<string, bigint>() };

test('the closing balance of a page is the opening balance of the next one, wherever a statement is cut', () => {
  fc.assert(
    fc.property(fc.array(movement), fc.nat(), (movements: Movement[], cut) => {
      const first = balanceAfter(empty, movements.slice(0, cut));
      expect(balanceAfter(first, movements.slice(cut))).toEqual(balanceAfter(empty, movements));
    }),
  );
});

test('what came in and went out again is not in the balance', () => {
  fc.assert(
    fc.property(fc.array(movement), (movements: Movement[]) => {
      const back = movements.map((one) => ({
        ...one,
        direction: one.direction === 'in' ? ('out' as const) : ('in' as const),
      }));
      expect(balanceAfter(empty, [...movements, ...back])).toEqual(empty);
    }),
  );
});
