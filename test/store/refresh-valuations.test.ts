import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { defaultDurationBounds, instant, secondsAfter } from '../../src/platform/units/time.ts';
import type { Price } from '../../src/prices/rules.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { refreshValuations } from '../../src/prices/valuations.ts';
import type { RefreshPosition } from '../../src/platform/temporal/activity-types.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { recordStatements } from './recorded-statements.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const now = instant(Date.now());
const hex = (name: string) => Buffer.from(name).toString('hex');

async function vaultWith(names: readonly string[]): Promise<string> {
  const body = vaultBody((await service.fundedWallet()).address);
  const asset_settings = { ...body.asset_settings, valuation_type: 'LBE', floor_price_percentage: 100 };
  const made = await service.api.post<{ vault_id: string }>('/vaults', { ...body, asset_settings });
  const vaultId = made.body.vault_id;
  for (const name of names) {
    const owner = await service.fundedWallet({ [name]: '1' });
    const asset = { policy_id: owner.policyId, asset_name: name, wallet_address: owner.address };
    expect(await service.api.post(`/vaults/${vaultId}/assets`, asset)).toMatchObject({ status: 201 });
  }
  await service.sql.run`update assets set status = 'LOCKED' where vault_id = ${vaultId}`;
  return vaultId;
}

/** Refreshes from a feed that has these prices in lovelace by hex name, and sends nonsense for all other assets. */
async function refreshFrom(prices: Prices, from: RefreshPosition = beginning) {
  const { refreshed, failures } = await refreshValuations(contextOf(prices), from);
  return { refreshed, failures: failures.map(String) };
}

const beginning = { step: 'prices', after: null } as const;

type Prices = Readonly<Record<string, bigint | Partial<Price>>>;

function contextOf(prices: Prices) {
  return {
    db: service.db,
    durationBounds: defaultDurationBounds,
    readingTime: () => Promise.resolve(now),
    unitOfWork: (work) =>
      service.db.transaction().execute((tx) => work({ tx, ids: { next: () => crypto.randomUUID() }, now })),
    priceSource: {
      priceOf({ assetName }) {
        const price = prices[assetName];
        if (price === undefined) return Promise.reject(new Error('the feed sent nonsense'));
        const known = typeof price === 'bigint' ? { lovelace: lovelace(price) } : price;
        return Promise.resolve({ lovelace: lovelace(1n), decimals: 0, asOf: now, source: 'test', ...known });
      },
    },
  } as const satisfies Parameters<typeof refreshValuations>[0];
}

test('one price that cannot be stored keeps no other asset from its new price, and no vault from its valuation', async () => {
  await vaultWith(['Boat']);
  const vaultId = await vaultWith(['Mill']);
  expect((await refreshFrom({ [hex('Mill')]: 77n })).failures).toEqual(['Error: the feed sent nonsense']);
  const rows = await service.sql.run<{ lovelace: string }>`select lovelace from prices
      where asset_name = ${hex('Mill')}`;
  expect(rows).toEqual([{ lovelace: '77' }]);
  expect(await publishedTotals(vaultId)).toEqual(['77']);
  await service.sql.run`update assets set status = 'RELEASED'`;
});

test('terms of an end that were damaged keep no other vault from its valuation', async () => {
  const [damaged, vaultId] = [await vaultWith(['Reef']), await vaultWith(['Rill'])];
  const damage = `update vaults set status = 'LOCKED', locked_at = now(), termination = $2 where id = $1`;
  await service.sql.query(damage, [damaged, { type: 'DAO', fdp: 'five' }]);
  await refreshFrom({ [hex('Reef')]: 3n, [hex('Rill')]: 7n });
  expect(await publishedTotals(vaultId)).toEqual(['7']);
  await service.sql.run`update assets set status = 'RELEASED'`;
});

test('a valuation is published when it differs from the last one, once for the vault, and not again by the next refresh', async () => {
  const [vaultId, other] = [await vaultWith(['Barn', 'Shed']), await vaultWith(['Well'])];
  const prices = { [hex('Barn')]: 40n, [hex('Shed')]: 2n, [hex('Well')]: 5n };
  for (let round = 0; round < 2; round += 1) expect(await refreshFrom(prices)).toEqual({ refreshed: 3, failures: [] });
  expect(await publishedTotals(vaultId)).toEqual(['42']);
  await refreshFrom({ ...prices, [hex('Barn')]: 50n });
  expect(await publishedTotals(vaultId)).toEqual(['42', '52']);
  expect(await publishedTotals(other)).toEqual(['5']);
  await service.sql.run`update assets set status = 'RELEASED'`;
  await refreshFrom({});
  expect(await publishedTotals(vaultId)).toEqual(['42', '52', '0']);
});

test('a refresh that runs out of time continues where it was, so that what hangs keeps nothing from its price', async () => {
  await vaultWith(['Oak', 'Ash']);
  const vaultId = await vaultWith(['Elm']);
  // Each reading of this clock is two minutes later, so that each part has time for one page.
  let read = 0;
  const hasty = { now: () => instant(Date.now() + (read += 1) * 120_000) };
  const context = contextOf({ [hex('Oak')]: 1n, [hex('Ash')]: 2n, [hex('Elm')]: 3n });
  const prices = await refreshValuations(context, beginning, hasty);
  expect(prices).toEqual({ next: { step: 'valuations', after: null }, refreshed: 3, failures: [] });
  expect(await publishedTotals(vaultId)).toEqual([]);
  expect(await refreshValuations(context, prices.next!, hasty)).toEqual({ next: null, refreshed: 0, failures: [] });
  expect(await publishedTotals(vaultId)).toEqual(['3']);
});

test('a valuation that waits for another change of its vault is what the assets are worth after it', async () => {
  const vaultId = await vaultWith(['Loom']);
  const lock = `select from vaults where id = '${vaultId}' for update`;
  const refreshed = await holdLocks(service, lock, async (held) => {
    const refresh = refreshFrom({ [hex('Loom')]: 40n });
    await held.reached();
    await service.sql.run`update prices set lovelace = 50 where asset_name = ${hex('Loom')}`;
    return { refresh };
  });
  await refreshed.refresh;
  expect(await publishedTotals(vaultId)).toEqual(['50']);
  // It was valued by more than what was read before it, so it is valued once more.
  expect(await valuationOf(vaultId)).toBeNull();
  await refreshFrom({}, toValuations);
  expect(await valuationOf(vaultId)).not.toBeNull();
});

test('a page of prices is stored by one statement, without those that say nothing new and without those that cannot be stored', async () => {
  await service.sql.run`update assets set status = 'RELEASED'`;
  await vaultWith(['Ford', 'Hill', 'Moor', 'Nook']);
  const stored = async () =>
    await service.sql.run<{ row: string }>`select concat(xmin, asset_name, lovelace) as row from prices`;
  const prices = { [hex('Ford')]: 3n, [hex('Hill')]: 4n, [hex('Moor')]: 5n, [hex('Nook')]: 6n };
  await refreshFrom(prices);
  const before = await stored();
  using recorded = recordStatements();
  expect(await refreshFrom(prices)).toEqual({ refreshed: 4, failures: [] });
  expect(recorded.statements().filter(({ text }) => text.includes('insert into "prices"'))).toHaveLength(1);
  expect(await stored()).toEqual(before);

  const [future, unstorable] = [{ asOf: secondsAfter(now, 86_400) }, { source: 'a\0b' }];
  const some = await refreshFrom({ ...prices, [hex('Hill')]: future, [hex('Moor')]: unstorable, [hex('Nook')]: 8n });
  expect(some).toEqual({
    refreshed: 2,
    failures: [expect.stringContaining('no current price'), expect.stringContaining('0x00')],
  });
  const rows = await service.sql.run<{ lovelace: string }>`select lovelace
      from prices join assets using (policy_id, asset_name) where status = ${'LOCKED'} order by asset_name`;
  expect(rows.map(({ lovelace }) => lovelace)).toEqual(['3', '4', '5', '8']);
});

/** When the present valuation of a vault was recorded, as the number of that transaction; null when it has none. */
async function valuationOf(vaultId: string): Promise<string | null> {
  const query = 'select xmin::text as recorded from vault_valuations where vault_id = $1';
  const { rows } = await service.sql.query<{ recorded: string }>(query, [vaultId]);
  return rows[0]?.recorded ?? null;
}

const toValuations = { step: 'valuations', after: null } as const;

test('a vault is valued again once anything that its value depends on has changed, or a day has passed, and not before', async () => {
  await service.sql.run`update assets set status = 'RELEASED'`;
  const vaultId = await vaultWith(['Gate', 'Lane']);
  await refreshFrom({ [hex('Gate')]: 40n, [hex('Lane')]: 2n });
  const price = `where asset_name = '${hex('Gate')}'`;
  const asset = `where vault_id = '${vaultId}' and asset_name = '${hex('Gate')}'`;
  const vault = `where id = '${vaultId}'`;
  const changes = [
    `update prices set lovelace = 41 ${price}`,
    `update prices set market_limit = 5 ${price}`,
    `update prices set decimals = 1 ${price}`,
    `delete from prices ${price}`,
    `update assets set quantity = 2 ${asset}`,
    `update assets set counted_price = 9, counted_at = now(), counted_source = 'test' ${asset}`,
    `update assets set counted_value = 9 ${asset}`,
    `update assets set remove_transaction_id = add_transaction_id ${asset}`,
    `update assets set status = 'RELEASED' ${asset}`,
    `update vaults set max_share = 9000 ${vault}`,
    `update vaults set floor_price_percentage = 9000 ${vault}`,
    `update vaults set valuation_type = 'FIXED' ${vault}`,
    `update vaults set status = 'LOCKED', locked_at = now() ${vault}`,
    `update vaults set changed_fdp = 500 ${vault}`,
    `update vaults set failed_because = 'no_assets' ${vault}`,
    `update vault_valuations set valued_at = valued_at - interval '1 day' where vault_id = '${vaultId}'`,
    `update vault_valuations set valued_at = valued_at + interval '1 day' where vault_id = '${vaultId}'`,
  ];
  const missed: string[] = [];
  for (const change of changes) {
    const before = await valuationOf(vaultId);
    await refreshFrom({}, toValuations);
    expect(await valuationOf(vaultId)).toBe(before);
    await service.sql.query(change);
    const changed = await valuationOf(vaultId);
    await refreshFrom({}, toValuations);
    if ((await valuationOf(vaultId)) === changed) missed.push(change);
  }
  expect(missed).toEqual([]);
});

test('a newer price that is the same matters to a locked vault that ends at a floor price deviation only', async () => {
  await service.sql.run`update assets set status = 'RELEASED'`;
  const [vaultId, other] = [await vaultWith(['Mast']), await vaultWith(['Keel'])];
  await service.sql.run`update vaults set status = 'LOCKED', locked_at = now(), changed_fdp = 500
      where id = ${vaultId}`;
  const at = (asOf: Price['asOf']) => ({ [hex('Mast')]: { asOf }, [hex('Keel')]: { asOf } });
  await refreshFrom(at(now));
  const [before, ofOther] = [await valuationOf(vaultId), await valuationOf(other)];
  await refreshFrom(at(secondsAfter(now, 1)));
  expect(await valuationOf(vaultId)).not.toBe(before);
  expect(await valuationOf(other)).toBe(ofOther);
});

async function publishedTotals(vaultId: string): Promise<string[]> {
  const rows = await service.sql.run<{ total: string }>`select data ->> 'total' as total from outbox
      where vault_id = ${vaultId} and type = 'VALUATION_CHANGED' order by recorded`;
  return rows.map(({ total }) => total);
}
