import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { basisPoints, baseUnits, FULL_SHARE, lovelace } from '../../platform/units/money.ts';
import { withinMarket, type CustomPrice, customPriceOf } from '../rules.ts';
import { pricedAsset } from './priced-asset.ts';

const ADA = 1_000_000n;
const token = { policyId: 'a'.repeat(56), assetName: 'aa' };

/** What deposits of one token count with, in ADA; 1 ADA is its custom price. */
function countedValues(quantities: bigint[], maxQuantity?: number, floorPricePercentage = FULL_SHARE): bigint[] {
  const terms = { valuationType: 'LBE', floorPricePercentage } as const;
  const set: CustomPrice = { ...token, lovelace: lovelace(ADA), decimals: 6, setAt: instant(0), maxQuantity };
  const price = customPriceOf({ customPrices: [set], floorPricePercentage }, token)!;
  const assets = quantities.map((quantity, position) => {
    const added = { id: String(position), addedAt: instant(position), lockedAt: null };
    const rest = { ...added, valuationMethod: 'custom', price, countedPrice: null } as const;
    return pricedAsset({ ...token, ...rest, quantity: baseUnits(quantity * 1_000_000n) }, terms, new Map());
  });
  return withinMarket(assets).map(({ value }) => value / ADA);
}

test('an admin who mints more of a token cannot make all of it count at the custom price that everybody saw', () => {
  expect(countedValues([1_000_000n], 500)).toEqual([500n]);
  expect(countedValues([600n, 400n], 500)).toEqual([500n, 0n]);
  expect(countedValues([499n], 500)).toEqual([499n]);
});

test('where a vault counts a part of each price, no more tokens count for that', () => {
  expect(countedValues([1_000_000n], 500, basisPoints(1_000n))).toEqual([50n]);
  expect(countedValues([400n, 600n], 500, basisPoints(1_000n))).toEqual([40n, 10n]);
});

test('a custom price that was set before it had a quantity counts for any', () => {
  expect(countedValues([1_000_000n])).toEqual([1_000_000n]);
});
