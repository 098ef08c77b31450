import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instant } from '../../platform/units/time.ts';
import { basisPoints, lovelace } from '../../platform/units/money.ts';
import { countAssets } from './deposits.ts';

const asset = (id: string, value: bigint, policyId = id) => ({
  ...{ id, wallet: id, policyId },
  ...{ value: lovelace(value), at: instant(0) },
});
const half = basisPoints(5_000n);
const split = (...args: Parameters<typeof countAssets>) => {
  const { counted, capped } = countAssets(...args);
  return { counted: counted.map(({ id, value }) => [id, value]), capped: capped.map(({ id }) => id) };
};

test('an asset that counts with at least 80 % of its own value stays', () => {
  expect(split([asset('a', 100n), asset('b', 80n)], half)).toEqual({
    counted: [
      ['a', 80n],
      ['b', 80n],
    ],
    capped: [],
  });
});

test('an asset that counts with less goes back, and the others are evaluated again', () => {
  const rest = [asset('b', 10n), asset('c', 10n)];
  const counted = [
    ['b', 10n],
    ['c', 10n],
  ];
  expect(split([asset('a', 1_000n), ...rest], half)).toEqual({ counted, capped: ['a'] });
  // Without `a`, nothing is left that `b` could be half of.
  expect(split([asset('a', 100n), asset('b', 79n)], half)).toEqual({ counted: [], capped: ['a', 'b'] });
});

test('an asset without a value is not what a share makes it', () => {
  expect(split([asset('a', 0n)], half)).toEqual({ counted: [['a', 0n]], capped: [] });
});

test('in any order the same assets count, with at least 80 % of their own values', () => {
  const rows = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.bigInt({ min: 0n, max: 10n ** 9n })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(rows, fc.bigInt({ min: 100n, max: 10_000n }), (wanted, share) => {
      const assets = wanted.map(([policyId, value], position) => asset(`${position}`, value, policyId));
      const { counted, capped } = countAssets(assets, basisPoints(share));
      const own = new Map(assets.map(({ id, value }) => [id, value]));
      expect(counted.every(({ id, value }) => value * 10n >= (own.get(id) ?? 0n) * 8n)).toBe(true);
      expect([...counted, ...capped].map(({ id }) => id).toSorted()).toEqual([...own.keys()].toSorted());
      const turned = countAssets(assets.toReversed(), basisPoints(share));
      expect(turned.counted.toReversed()).toEqual(counted);
    }),
  );
});

test('whoever brings more of a policy later sends away no asset that came before', () => {
  const before = [asset('b', 500n), asset('c', 500n), { ...asset('first', 500n, 'a'), lockedAt: instant(7) }];
  // Asked for first, but in a later block: with it, all of policy `a` would count with 62.5 % of their values.
  const late = { ...asset('held back', 300n, 'a'), lockedAt: instant(9) };
  const third = basisPoints(3_400n);
  const counted = [
    ['b', 500n],
    ['c', 500n],
    ['first', 500n],
  ];
  expect(split(before, third)).toEqual({ counted, capped: [] });
  expect(split([late, ...before], third)).toEqual({ counted, capped: ['held back'] });
});

test('an asset that goes back itself sends away none that came after it', () => {
  const [large, small] = [asset('large', 1_000n, 'a'), { ...asset('small', 100n, 'a'), lockedAt: instant(1) }];
  const rest = [asset('b', 120n), asset('c', 120n)];
  expect(split([large, small, ...rest], half)).toEqual({
    counted: [
      ['small', 100n],
      ['b', 120n],
      ['c', 120n],
    ],
    capped: ['large'],
  });
});

const assetsOf = (rows: readonly (readonly [string, bigint])[], prefix: string, from: number) =>
  rows.map(([policyId, value], position) => {
    return { ...asset(`${prefix}${position}`, value, policyId), lockedAt: instant(from + position) };
  });
const sumOf = (contributions: readonly { readonly value: bigint }[]) =>
  contributions.reduce((sum, { value }) => sum + value, 0n);

test('of assets that go back in the end, none makes room for an earlier one that takes the place of others', () => {
  const fortyPercent = basisPoints(4_000n);
  const early = asset('early', 22_000n, 'c');
  const honest = assetsOf([['c', 4_000n], ['a', 4_000n], ['b', 3_200n], ['e', 2_000n]], 'honest', 1); // prettier-ignore
  const before = split([early, ...honest], fortyPercent);
  expect(before.counted.map(([, value]) => value)).toEqual([4_000n, 4_000n, 3_200n, 2_000n]);
  // Beside it `early` would fit, and the first of the others would not.
  const late = { ...asset('late', 35_000n, 'd'), lockedAt: instant(9) };
  expect(split([early, ...honest, late], fortyPercent)).toEqual({ ...before, capped: ['early', 'late'] });
});

test('whatever comes later, the assets count with no less together', () => {
  const value = fc.tuple(fc.constantFrom(10n, 1_000n, 100_000n), fc.bigInt({ min: 1n, max: 9n }));
  const row = fc.tuple(
    fc.constantFrom('a', 'b', 'c', 'd'),
    value.map(([scale, times]) => scale * times),
  );
  const [some, more] = [fc.array(row, { maxLength: 8 }), fc.array(row, { maxLength: 4 })];
  fc.assert(
    fc.property(some, more, fc.constantFrom(2_500n, 3_400n, 4_000n, 5_000n, 6_000n), (first, late, share) => {
      const present = assetsOf(first, 'present', 0);
      const before = countAssets(present, basisPoints(share));
      const after = countAssets([...present, ...assetsOf(late, 'late', 100)], basisPoints(share));
      // Each value is rounded down.
      expect(sumOf(after.counted) + 20n).toBeGreaterThanOrEqual(sumOf(before.counted));
    }),
    { numRuns: 2_000 },
  );
});
