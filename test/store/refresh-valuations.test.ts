import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { defaultDurationBounds } from '../../src/domain/units/duration.ts';
import { instant } from '../../src/domain/units/instant.ts';
import { lovelace } from '../../src/domain/units/money.ts';
import { refreshValuations } from '../../src/services/valuation/refresh-valuations.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

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
  await service.sql.query("update assets set status = 'LOCKED' where vault_id = $1", [vaultId]);
  return vaultId;
}

/** Refreshes from a feed that has these prices in lovelace by hex name, and sends nonsense for all other assets. */
async function refreshFrom(prices: Readonly<Record<string, bigint>>) {
  const { refreshed, failures } = await refreshValuations(contextOf(prices), beginning);
  return { refreshed, failures: failures.map(String) };
}

const beginning = { step: 'prices', after: null } as const;

function contextOf(prices: Readonly<Record<string, bigint>>) {
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
        return Promise.resolve({ lovelace: lovelace(price), decimals: 0, asOf: now, source: 'test' });
      },
    },
  } as const satisfies Parameters<typeof refreshValuations>[0];
}

test('one price that cannot be stored keeps no other asset from its new price, and no vault from its valuation', async () => {
  await vaultWith(['Boat']);
  const vaultId = await vaultWith(['Mill']);
  expect((await refreshFrom({ [hex('Mill')]: 77n })).failures).toEqual(['Error: the feed sent nonsense']);
  const { rows } = await service.sql.query<{ lovelace: string }>('select lovelace from prices where asset_name = $1', [
    hex('Mill'),
  ]);
  expect(rows).toEqual([{ lovelace: '77' }]);
  expect(await publishedTotals(vaultId)).toEqual(['77']);
  await service.sql.query("update assets set status = 'RELEASED'");
});

test('a valuation is published when it differs from the last one, once for the vault, and not again by the next refresh', async () => {
  const [vaultId, other] = [await vaultWith(['Barn', 'Shed']), await vaultWith(['Well'])];
  const prices = { [hex('Barn')]: 40n, [hex('Shed')]: 2n, [hex('Well')]: 5n };
  for (let round = 0; round < 2; round += 1) expect(await refreshFrom(prices)).toEqual({ refreshed: 3, failures: [] });
  expect(await publishedTotals(vaultId)).toEqual(['42']);
  await refreshFrom({ ...prices, [hex('Barn')]: 50n });
  expect(await publishedTotals(vaultId)).toEqual(['42', '52']);
  expect(await publishedTotals(other)).toEqual(['5']);
  await service.sql.query("update assets set status = 'RELEASED'");
  await refreshFrom({});
  expect(await publishedTotals(vaultId)).toEqual(['42', '52', '0']);
});

test('a refresh that runs out of time goes on where it was, so that what hangs keeps nothing from its price', async () => {
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
    await service.sql.query('update prices set lovelace = 50 where asset_name = $1', [hex('Loom')]);
    return { refresh };
  });
  await refreshed.refresh;
  expect(await publishedTotals(vaultId)).toEqual(['50']);
});

async function publishedTotals(vaultId: string): Promise<string[]> {
  const { rows } = await service.sql.query<{ total: string }>(
    `select data ->> 'total' as total from outbox where vault_id = $1 and type = 'VALUATION_CHANGED' order by recorded`,
    [vaultId],
  );
  return rows.map(({ total }) => total);
}
