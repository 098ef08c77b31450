import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Price } from '../../src/prices/rules.ts';
import { wallClock, defaultDurationBounds } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { baseUnits, lovelace } from '../../src/platform/units/money.ts';
import { countedPrices } from '../../src/signing-policy/evidence/settlement.ts';
import { priceAssets } from '../../src/settlement/plan-settlement.ts';
import { checkPrices } from '../../src/prices/fresh-price.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { vaultAssets } from '../../src/assets/queries/listed-assets.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import { keys } from '../chain/sample-context.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { recordHeldAsset } from '../governance/vault-with-custody.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
const now = wallClock.now();
const policyId = 'ab'.repeat(28);

/** A vault with one asset, of which the market gives 100 lovelace when it is contributed, and the prices that it counts with. */
async function vaultWithAsset(valuationType: 'FIXED' | 'LBE') {
  const { db, sql } = service;
  const body = vaultBody(newWallet().address);
  const settings = { ...body.asset_settings, valuation_type: valuationType };
  const made = await service.api.post<{ vault_id: string }>('/vaults', { ...body, asset_settings: settings });
  const vaultId = made.body.vault_id;
  const hash = randomBytes(32).toString('hex');
  await recordTransaction(service, vaultId, hash, 'add_asset');
  await recordHeldAsset(service, vaultId, { policy_id: policyId, asset_name: `Villa ${vaultId.slice(-8)}` });
  const rows = await sql.run<{ id: string }>`update assets
     set counted_price = null, price_seal = null, add_transaction_id = maker.id
     from chain_transactions maker where assets.vault_id = ${vaultId} and maker.hash = ${hash} returning maker.id`;
  const transactionId = rows[0]?.id ?? '';
  const market = { price: 100n };
  const priceSource = {
    priceOf: (): Promise<Price> =>
      Promise.resolve({ lovelace: lovelace(market.price), decimals: 0, asOf: now, source: 'feed' }),
  };
  const unitOfWork = createUnitOfWork(db, offsetClock(wallClock), ids);
  const context = { db, unitOfWork, keys, priceSource, durationBounds: defaultDurationBounds, ledger: {} as never };
  const check = () => checkPrices(context, { id: transactionId, kind: 'add_asset', state: 'pending' }, now);
  await check();
  const set = (values: string) => sql.query(`update assets set ${values} where vault_id = $1`, [vaultId]);
  return {
    market,
    set,
    check,
    /** The prices that events tell. */
    told: async () => {
      const told = await sql.query<{ price: string }>(
        `select data ->> 'price' as price from outbox where vault_id = $1 and type = 'ASSET_PRICED' order by recorded`,
        [vaultId],
      );
      return told.rows.map(({ price }) => price);
    },
    counted: async () => {
      expect(await priceAssets(context, { vaultId, now })).toBe(true);
      return (await vaultAssets(db, vaultId, ['LOCKED']))[0]?.countedPrice?.lovelace;
    },
    /** The price by which a mint is evaluated, and whether it has to be that one to the lovelace. */
    evaluated: async () => {
      const vault = await getVault(db, vaultId);
      const share = { deposit: { txHash: hash, index: 0 }, owner: '', contributed: new Map() };
      const nothing = { invested: lovelace(0n), value: lovelace(0n), ft: baseUnits(0n), lovelace: lovelace(0n) };
      const plan = { terms: { ...vault.terms, supply: baseUnits(1n) }, shares: [{ ...share, ...nothing }] };
      const { prices } = await countedPrices({ db, keys, priceSource }, vault, plan);
      const [one] = prices.values();
      return one && { price: one.price.lovelace, isSealed: one.isSealed };
    },
  };
}

test('a FIXED vault counts the price that the worker has read, whatever the market does', async () => {
  const { market, counted, evaluated } = await vaultWithAsset('FIXED');
  market.price = 1_000n;
  expect(await counted()).toBe(100n);
  expect(await evaluated()).toEqual({ price: 100n, isSealed: true });
});

test('a price that the worker has read has an event if readers saw another one before', async () => {
  const fixed = await vaultWithAsset('FIXED');
  expect(await fixed.told()).toEqual(['100']);
  for (const price of [100n, 200n, 200n]) {
    fixed.market.price = price;
    await fixed.set('price_seal = null');
    await fixed.check();
  }
  expect(await fixed.told()).toEqual(['100', '200']);
  fixed.market.price = 300n;
  expect(await fixed.counted()).toBe(200n);
  await fixed.set('price_seal = null');
  await fixed.check();
  expect(await fixed.told()).toEqual(['100', '200']);

  const open = await vaultWithAsset('LBE');
  expect(await open.told()).toEqual([]);
  for (let times = 0; times < 2; times += 1) expect(await open.counted()).toBe(100n);
  expect(await open.told()).toEqual(['100']);
});

test.each([
  ['another price', 'price = 900'],
  ['a price of another time', "priced_at = priced_at - interval '1 day', price = 900"],
  ['a price of another source', "price_source = 'other', price = 900"],
  ['another limit of its market', 'market_limit = 5, price = 900'],
  ['no seal', 'price_seal = null, price = 900'],
  ['a seal that is none', "price_seal = repeat('ab', 32), price = 900"],
])('a FIXED vault counts what the market says when a row has %s', async (_what, forged) => {
  const { set, counted } = await vaultWithAsset('FIXED');
  await set(forged);
  expect(await counted()).toBe(100n);
});

test('the seal of another vault, or of another contribution, is none', async () => {
  const [one, other] = [await vaultWithAsset('FIXED'), await vaultWithAsset('FIXED')];
  const rows = await service.sql.run<{ seal: string }>`select price_seal as seal from assets
      where price_seal is not null order by added_at desc, id desc limit 2`;
  expect(new Set(rows.map(({ seal }) => seal)).size).toBe(2);
  for (const { seal } of rows) await one.set(`price_seal = '${seal}', deposit_index = 1`);
  other.market.price = 1_000n;
  one.market.price = 1_000n;
  expect([await one.counted(), await other.counted()]).toEqual([1_000n, 100n]);
});

test.each(['FIXED', 'LBE'] as const)(
  'what a %s vault counts is sealed, and counted again when its row changes',
  async (type) => {
    const { set, counted, evaluated } = await vaultWithAsset(type);
    await counted();
    expect(await evaluated()).toEqual({ price: 100n, isSealed: true });
    for (const forged of [
      'counted_price = 900',
      'counted_seal = null',
      'counted_seal = price_seal, counted_price = 900',
    ]) {
      await set(forged);
      expect(await evaluated()).toEqual({ price: 100n, isSealed: false });
      expect(await counted()).toBe(100n);
      expect(await evaluated()).toEqual({ price: 100n, isSealed: true });
    }
  },
);
