import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, lovelace } from '../../platform/units/money.ts';
import { marketPricedAsset, pricedAsset, type ValuedAsset } from './priced-asset.ts';
import type { Price } from '../rules.ts';

/** Prices of different amounts are of different times and sources, so that a mixed one is seen. */
const price = (amount: bigint, decimals = 0): Price => ({
  lovelace: lovelace(amount),
  decimals,
  asOf: instant(1_000_000 + Number(amount)),
  source: `feed ${amount}`,
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
  const priceOf = (valued: ValuedAsset, known: typeof latest) => {
    const { price: found, value } = marketPricedAsset(valued, termsOf('FIXED'), known);
    expect(value).toBe(found.lovelace);
    return found;
  };
  expect(priceOf(counted, latest)).toEqual(price(2n));
  expect(priceOf(counted, new Map())).toEqual(price(3n));
  expect(priceOf(counted, new Map([['aabb', price(2n, 6)]]))).toEqual(price(3n));
  expect(priceOf({ ...counted, valuationMethod: 'custom' }, latest)).toEqual(price(3n));
});
