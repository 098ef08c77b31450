import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, basisPoints, FULL_SHARE, lovelace } from '../../platform/units/money.ts';
import type { ValuedAsset } from '../../prices/rules/priced-asset.ts';
import type { Price } from '../../prices/rules.ts';
import { boughtAsset, purchaseValue, saleValue } from './market-value.ts';

const purchase = (quantity: bigint) =>
  ({ terms: { quantity: baseUnits(quantity) } }) as Parameters<typeof purchaseValue>[0];
const bought = (marketLimit?: bigint) => ({
  type: 'CNT' as const,
  price: {
    lovelace: lovelace(1_000_000n),
    decimals: 2,
    asOf: instant(0),
    source: 'test',
    ...(marketLimit === undefined ? {} : { marketLimit: lovelace(marketLimit) }),
  },
});

test('a purchase at an open price pays at most what the market takes the asset for', () => {
  const thousandTokens = purchase(100_000n);
  expect(purchaseValue(thousandTokens, bought())).toBe(1_000_000_000n);
  expect(purchaseValue(thousandTokens, bought(2_000_000_000n))).toBe(1_000_000_000n);
  expect(purchaseValue(thousandTokens, bought(60_000_000n))).toBe(60_000_000n);
});

const ADA = 1_000_000n;
const priceOf = (ada: bigint, limit?: bigint, source = 'market'): Price => {
  const marketLimit = limit === undefined ? undefined : lovelace(limit * ADA);
  return { lovelace: lovelace(ada * ADA), decimals: 0, asOf: instant(0), source, marketLimit };
};
/** Whole tokens that were priced at an ADA each and counted with `counted` ADA. */
const deposit = (quantity: bigint, counted: bigint | null, limit?: bigint) => {
  const token = { policyId: 'a'.repeat(56), assetName: 'aa', valuationMethod: 'dex_price' } as const;
  const price = priceOf(1n, limit);
  const countedValue = counted === null ? null : lovelace(counted * ADA);
  return {
    ...token,
    quantity: baseUnits(quantity),
    price,
    countedPrice: counted === null ? null : price,
    countedValue,
  };
};
/** The least price in ADA of a sale of these, when a token costs `now`. */
const leastPrice = (deposits: readonly ReturnType<typeof deposit>[], now: Price, isFixed = true) => {
  const terms = { valuationType: 'LBE', floorPricePercentage: FULL_SHARE } as const;
  const market = new Map(deposits.map(({ policyId, assetName }) => [policyId + assetName, now]));
  return saleValue(deposits, terms, { market, shown: market, isFixed }) / ADA;
};

test('while holders claim, a million of a token of which a thousand counted can be bought for what that part costs now', () => {
  const brought = deposit(1_000_000n, 1_000n, 1_000n);
  expect(leastPrice([brought], priceOf(1n, 1_000n))).toBe(1_000n);
  // Neither can somebody take what has become dearer cheaply, by making its market thin.
  expect(leastPrice([brought], priceOf(10n, 0n))).toBe(10_000n);
  expect(leastPrice([brought], priceOf(10n, 50_000n))).toBe(50_000n);
  expect(leastPrice([brought, deposit(500n, 0n, 1_000n)], priceOf(1n, 1_000n))).toBe(1_000n);
});

test('a sale brings the full price of what a market takes, and of what the vote has not priced or nobody limits', () => {
  const brought = deposit(1_000_000n, 1_000n, 1_000n);
  expect(leastPrice([brought], priceOf(1n, 1_000n), false)).toBe(1_000_000n);
  expect(leastPrice([brought], priceOf(1n))).toBe(1_000_000n);
  expect(leastPrice([deposit(1_000n, 1_000n)], priceOf(2n, 500n))).toBe(2_000n);
  expect(leastPrice([deposit(1_000n, null)], priceOf(2n, 500n))).toBe(2_000n);
});

test('what the admin has priced is sold for the price of as many tokens as count at most, whatever part of it counts', () => {
  const floorPricePercentage = basisPoints(1_000n);
  const price = priceOf(1n, 100n, 'admin');
  const brought = { ...deposit(1_000_000n, 100n), valuationMethod: 'custom', price, countedPrice: price } as const;
  const terms = { valuationType: 'LBE', floorPricePercentage } as const;
  const none = { market: new Map(), shown: new Map(), isFixed: true };
  expect(saleValue([brought], terms, none)).toBe(1_000n * ADA);
  const single = { ...brought, quantity: baseUnits(1_000n) } satisfies ValuedAsset;
  expect(saleValue([single], terms, none)).toBe(1_000n * ADA);
});

test('one unit of an asset whose name says that it is fungible is bought as a CNT, and of any other as an NFT', () => {
  const policyId = 'ab'.repeat(28);
  const typeOf = (assetNameHex: string) => {
    const one = { terms: { policyId, assetNameHex, quantity: baseUnits(1n) } } as Parameters<typeof boughtAsset>[0];
    return boughtAsset(one, new Map([[policyId + assetNameHex, priceOf(1n)]])).type;
  };
  expect(['426f6174', '000de140426f6174', '0014df10426f6174', '001bc280426f6174'].map(typeOf)).toEqual([
    'NFT',
    'NFT',
    'CNT',
    'CNT',
  ]);
});
