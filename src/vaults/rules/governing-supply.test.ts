import { expect, test } from '@jest/globals';
import { baseUnits } from '../../platform/units/money.ts';
import { governingSupply } from './vault.ts';

test('shares are of the whole supply, and of what is not returned while holders claim', () => {
  const terms = { ftSupply: baseUnits(100n) };
  expect(governingSupply({ claimsOpen: false, terms }, baseUnits(4n))).toBe(100n);
  expect(governingSupply({ claimsOpen: true, terms }, baseUnits(4n))).toBe(4n);
  // Without tokens nobody governs.
  expect(governingSupply({ claimsOpen: true, terms }, baseUnits(0n))).toBe(100n);
});
