import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { tradedValue } from './execution.ts';

const policyId = 'ab'.repeat(28);
const context = {
  priceSource: {
    priceOf: (asset: { policyId: string; assetName: string }) => {
      if (asset.policyId !== policyId) throw new Error('another policy');
      return Promise.resolve({
        lovelace: lovelace(asset.assetName === '01' ? 5_000_000n : 300n),
        decimals: asset.assetName === '01' ? 0 : 2,
        asOf: instant(0),
        source: 'test',
      });
    },
  },
};
const assets = new Map([
  [`${policyId}01`, 1n],
  [`${policyId}02`, 1_000n],
]);
const sale = (price: bigint | null) =>
  ({
    type: 'ASSET_SALE',
    assetIds: ['1', '2'],
    terms: { price: price === null ? null : lovelace(price), buyerAddress: null },
  }) as const;
const adminPrices = new Map();
const open = { claimsOpen: true };
const locked = { claimsOpen: false };

test('what is sold at an open price is worth what the feed says, by whole tokens', async () => {
  const traded = { approved: sale(null), effect: sale(1n), assets, adminPrices };
  expect(await tradedValue(context, locked, traded)).toBe(5_000_000n + 3_000n);
});

test('the price of a vote is compared with none, except of a sale while holders claim', async () => {
  const traded = { approved: sale(7n), effect: sale(7n), assets, adminPrices };
  expect(await tradedValue(context, locked, traded)).toBeNull();
  expect(await tradedValue(context, open, traded)).toBe(5_003_000n);
});

test('what only the admin has priced is worth that at a price of the vote, and nothing at an open one', async () => {
  const price = { lovelace: lovelace(9n), decimals: 0, asOf: instant(0), source: 'admin' };
  const unit = `${'cd'.repeat(28)}01`;
  const deed = { assets: new Map([[unit, 2n]]), adminPrices: new Map([[unit, price]]), effect: sale(7n) };
  expect(await tradedValue(context, open, { ...deed, approved: sale(7n) })).toBe(18n);
  await expect(tradedValue(context, open, { ...deed, approved: sale(null) })).rejects.toThrow('another policy');
});

test('of what no market takes, no more is asked for at a price of the vote', async () => {
  const price = { lovelace: lovelace(9n), decimals: 0, asOf: instant(0), source: 'test', marketLimit: lovelace(20n) };
  const thin = { priceSource: { priceOf: () => Promise.resolve(price) } };
  const traded = { effect: sale(7n), assets: new Map([[`${policyId}01`, 1_000n]]), adminPrices };
  expect(await tradedValue(thin, open, { ...traded, approved: sale(7n) })).toBe(20n);
  expect(await tradedValue(thin, open, { ...traded, approved: sale(null) })).toBe(9_000n);
});

test('what is bought at an open price is worth what the feed says', async () => {
  const terms = { policyId, assetNameHex: '02', quantity: baseUnits(200n), sellerAddress: null };
  const purchase = (price: bigint | null) =>
    ({ type: 'BUY', assetIds: [], terms: { ...terms, price: price === null ? null : lovelace(price) } }) as const;
  const traded = { approved: purchase(null), effect: purchase(9n), assets: new Map(), adminPrices };
  expect(await tradedValue(context, locked, traded)).toBe(600n);
  expect(await tradedValue(context, open, { ...traded, approved: purchase(9n) })).toBeNull();
});
