import { expect, test } from '@jest/globals';
import { baseUnits } from '../platform/units/money.ts';
import { acceptedType, type AssetTypeRules, builtInAssetTypes, isQuantityOf } from './rules.ts';

const fitsIn = (rules: AssetTypeRules) => (units: bigint, decimals: number) =>
  isQuantityOf(rules, baseUnits(units), decimals);

test('a fungible asset has a quantity of 1 to 1,000,000 whole tokens', () => {
  const fits = fitsIn(builtInAssetTypes.CNT);
  expect([fits(1n, 0), fits(1_000_000n, 0), fits(1_000_000n, 6), fits(10n ** 12n, 6)]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([fits(0n, 0), fits(1_000_001n, 0), fits(999_999n, 6), fits(10n ** 12n + 1n, 6)]).not.toContain(true);
});

test('a registered type has bounds of its own, inclusive, in whole tokens', () => {
  const fits = fitsIn({ ...builtInAssetTypes.CNT, minQuantity: 10, maxQuantity: 20 });
  expect([fits(10n, 0), fits(20_00n, 2)]).toEqual([true, true]);
  expect([fits(9_99n, 2), fits(21n, 0)]).toEqual([false, false]);
});

test('a vault accepts the types that it was created with, and no property that every object has', () => {
  const accepted = { CNT: builtInAssetTypes.CNT };
  expect(acceptedType(accepted, 'CNT')).toBe(builtInAssetTypes.CNT);
  for (const name of ['NFT', 'constructor', '__proto__']) expect(acceptedType(accepted, name)).toBeUndefined();
});
