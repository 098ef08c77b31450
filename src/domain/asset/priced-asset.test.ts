import { expect, test } from '@jest/globals';
import { instant } from '../units/instant.ts';
import { baseUnits, basisPoints, lovelace } from '../units/money.ts';
import { marketPricedAsset, pricedAsset, type ValuedAsset } from './priced-asset.ts';
import type { Price } from './valuation.ts';

const price = (amount: bigint, decimals = 0): Price => ({
  lovelace: lovelace(amount),
  decimals,
  asOf: instant(1_000_000),
  source: 'feed',
});

const asset: ValuedAsset = {
  policyId: 'aa',
  assetName: 'bb',
  quantity: baseUnits(1n),
  price: price(1n),
  valuationMethod: 'floor_price',
  countedPrice: null,
};
const termsOf = (valuationType: 'FIXED' | 'LBE') => ({ valuationType, floorPricePercentage: basisPoints(10_000n) });
const latest = new Map([['aabb', price(2n)]]);

test('FIXED counts the price at contribution; LBE counts the last known price', () => {
  expect(pricedAsset(asset, termsOf('FIXED'), latest)).toEqual({ asset, price: price(1n), value: 1n });
  expect(pricedAsset(asset, termsOf('LBE'), latest)).toEqual({ asset, price: price(2n), value: 2n });
  expect(pricedAsset(asset, termsOf('LBE'), new Map()).price).toEqual(price(1n));
});

test('the price that was fixed when the asset window ended counts from then on', () => {
  const counted = { ...asset, countedPrice: price(3n) };
  expect(pricedAsset(counted, termsOf('LBE'), latest).price).toEqual(price(3n));
});

test('a last known price with other decimals is for another quantity and does not count', () => {
  expect(pricedAsset(asset, termsOf('LBE'), new Map([['aabb', price(2n, 6)]])).price).toEqual(price(1n));
});

test('a settled vault values an asset at the market, and at what the settlement counted where the market says nothing', () => {
  const counted = { ...asset, countedPrice: price(3n) };
  const valueAt = (valued: ValuedAsset, known: typeof latest) =>
    marketPricedAsset(valued, termsOf('FIXED'), known).value;
  expect(valueAt(counted, latest)).toBe(2n);
  expect(valueAt(counted, new Map())).toBe(3n);
  expect(valueAt(counted, new Map([['aabb', price(2n, 6)]]))).toBe(3n);
  expect(valueAt({ ...counted, valuationMethod: 'custom' }, latest)).toBe(3n);
});
