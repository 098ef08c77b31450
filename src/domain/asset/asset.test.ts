import { expect, test } from '@jest/globals';
import { isCntQuantity } from './asset.ts';
import { baseUnits } from '../units/money.ts';

test('a fungible asset has a quantity of 1 to 1,000,000 whole tokens', () => {
  const fits = (units: bigint, decimals: number) => isCntQuantity(baseUnits(units), decimals);
  expect([fits(1n, 0), fits(1_000_000n, 0), fits(1_000_000n, 6), fits(10n ** 12n, 6)]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([fits(0n, 0), fits(1_000_001n, 0), fits(999_999n, 6), fits(10n ** 12n + 1n, 6)]).not.toContain(true);
});
