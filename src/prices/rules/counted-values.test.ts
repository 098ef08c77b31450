import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Instant, instant } from '../../platform/units/time.ts';
import { basisPoints, lovelace } from '../../platform/units/money.ts';
import { withinMarket, withinShare } from '../rules.ts';

let lastId = 0;
const asset = (policyId: string, value: bigint, marketLimit?: bigint, assetName = '01', addedAt = 0) => ({
  asset: {
    policyId,
    assetName,
    id: String((lastId += 1)).padStart(9, '0'),
    addedAt: instant(addedAt),
    lockedAt: null as Instant | null,
  },
  price: marketLimit === undefined ? {} : { marketLimit: lovelace(marketLimit) },
  value: lovelace(value),
});
const counted = (assets: readonly ReturnType<typeof asset>[], maxShare = 10_000n) => {
  const limited = withinMarket(assets).map((one) => ({ ...one, policyId: one.asset.policyId }));
  return withinShare(limited, basisPoints(maxShare)).map(({ value }) => value);
};

test('a million of a thinly traded token counts only with what its market can take, however many deposits it is split into', () => {
  expect(counted([asset('a', 1_000_000n, 500n)])).toEqual([500n]);
  expect(counted([asset('a', 600n, 500n), asset('a', 400n, 500n), asset('b', 70n)])).toEqual([500n, 0n, 70n]);
  expect(counted([asset('a', 600n, 500n), asset('a', 400n, 500n, '02')])).toEqual([500n, 400n]);
});

test('who brings more of a thin token in the last second takes nothing from those who brought it before', () => {
  const [honest, whale] = [asset('a', 400n, 500n, '01', 1), asset('a', 100_000n, 500n, '01', 2)];
  expect(counted([honest, whale])).toEqual([400n, 100n]);
  expect(counted([whale, honest])).toEqual([100n, 400n]);
});

test('who asks for a transaction early and sends it in the last second takes nothing from those who brought it before', () => {
  const [honest, waiting] = [asset('a', 400n, 500n, '01', 2), asset('a', 100_000n, 500n, '01', 1)];
  const confirmed = (one: typeof honest, lockedAt: number) => ({
    ...one,
    asset: { ...one.asset, lockedAt: instant(lockedAt) },
  });
  expect(counted([confirmed(honest, 3), confirmed(waiting, 1_800)])).toEqual([400n, 100n]);
  expect(counted([confirmed(honest, 3), confirmed(waiting, 3)])).toEqual([0n, 500n]);
});

test('with FIXED each deposit has the limit of its own hour, less what counts before it', () => {
  expect(counted([asset('a', 400n, 300n), asset('a', 400n, 500n), asset('a', 400n, 200n)])).toEqual([300n, 200n, 0n]);
  expect(counted([asset('a', 400n), asset('a', 400n, 500n)])).toEqual([400n, 100n]);
});

test('a policy counts with at most its share of what all count with', () => {
  expect(counted([asset('a', 900n), asset('b', 100n)], 5_000n)).toEqual([100n, 100n]);
  expect(counted([asset('a', 600n), asset('a', 300n, undefined, '02'), asset('b', 100n)], 7_500n)).toEqual([
    200n,
    100n,
    100n,
  ]);
  expect(counted([asset('a', 100n), asset('b', 100n)], 5_000n)).toEqual([100n, 100n]);
  expect(counted([asset('a', 900n), asset('b', 500n), asset('c', 100n)], 4_000n)).toEqual([200n, 200n, 100n]);
});

test('a share that so few policies cannot keep lets none of them count', () => {
  expect(counted([asset('a', 900n)], 5_000n)).toEqual([0n]);
});

test('no policy is above its share by more than rounding, and nothing counts with more than its value', () => {
  const assets = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.bigInt({ min: 0n, max: 10n ** 15n })), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(assets, fc.bigInt({ min: 100n, max: 9_999n }), (rows, maxShare) => {
      const input = rows.map(([policyId, value], position) => asset(policyId, value, undefined, `${position}`));
      const values = counted(input, maxShare);
      const total = values.reduce((sum, value) => sum + value, 0n);
      expect(values.every((value, position) => value <= (input[position]?.value ?? 0n))).toBe(true);
      for (const policy of ['a', 'b', 'c', 'd']) {
        const share = values.reduce((sum, value, at) => (rows[at]?.[0] === policy ? sum + value : sum), 0n);
        expect(share * 10_000n).toBeLessThanOrEqual((total + BigInt(rows.length)) * maxShare);
      }
    }),
  );
});
