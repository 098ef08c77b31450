import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { storePrices } from '../../src/prices/queries/prices.ts';
import { testDatabase } from '../stack/test-database.ts';

const now = instant(new Date('2026-11-22T12:00:00Z'));
const asset = { policyId: 'ab'.repeat(28), assetName: '4c' };
const price = (amount: bigint, asOf: number) => ({
  lovelace: lovelace(amount),
  decimals: 0,
  asOf: instant(asOf),
  source: 'feed',
});

test('a price that is dated in the future is refused, and one that was stored is replaced by a true one', async () => {
  await using database = await testDatabase();
  const db = openDatabase(database.url, () => undefined, 1);
  const inACentury = secondsAfter(now, 100 * 365 * 86_400);
  await expect(storePrices(db, [{ asset, price: price(9n, inACentury) }], now)).rejects.toMatchObject({
    code: 'PRICE_UNAVAILABLE',
  });
  await storePrices(db, [{ asset, price: price(9n, inACentury) }], inACentury);
  await storePrices(db, [{ asset, price: price(5n, now) }], now);
  await storePrices(db, [{ asset, price: price(4n, secondsAfter(now, -60)) }], now);
  const rows = await database.sql.run`select lovelace from prices`;
  await db.destroy();
  expect(rows).toEqual([{ lovelace: '5' }]);
});
