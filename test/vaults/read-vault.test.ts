import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seedStakes } from '../governance/seed-stakes.ts';
import { propose } from '../governance/staked-vault.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

let service: ApiService;
let path: string;
beforeAll(async () => {
  service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  path = `/vaults/${vaultId}`;
});
afterAll(async () => service[Symbol.asyncDispose]());

interface Read {
  readonly data: Readonly<Record<string, unknown>>;
}
const read = async (query = '') => (await service.api.get<Read>(`${path}${query}`)).body.data;

test('a vault is read with the named fields only, however they are written', async () => {
  const whole = await read();
  const wanted = { name: whole['name'], status: whole['status'] };
  for (const query of ['?fields=name,status', '?fields=name&fields=status', '?fields=status,name,status'])
    expect([query, await read(query)]).toEqual([query, wanted]);
  expect(Object.keys(await read('?fields=adminEmail'))).toEqual(['adminEmail']);
});

test('a vault is read with the first page of the lists that the caller names', async () => {
  const { name, expanded } = await read('?expand=assets,investments&expand=proposals,stakes');
  expect(name).toBe('Harbour Loft');
  const empty = { items: [], pagination: { page: 1, limit: 20, total: 0, totalIsMinimum: false, next: null } };
  expect(expanded).toEqual({ assets: empty, investments: empty, proposals: empty, stakes: empty });
  expect(await read('?fields=id&expand=stakes')).toEqual({ id: path.slice(8), expanded: { stakes: empty } });
});

test('the lists of a vault are those of their own operations, and each needs the permission of its own', async () => {
  const owner = await service.fundedWallet({ Hut: '1' });
  const { vaultId, add } = await vaultOf(owner, 'LBE');
  await add('Hut');
  const investment = { walletAddress: (await service.fundedWallet()).address, lovelace: 5_000_000 };
  expect(await service.api.post(`/vaults/${vaultId}/investments`, investment)).toMatchObject({ status: 201 });
  await service.sql.run`update vaults set status = 'LOCKED', locked_at = now() where id = ${vaultId}`;
  await seedStakes(service.sql, vaultId, [{ wallet: owner.address, tokens: 60_000 }], new Date(Date.now() - 60_000));
  await propose(service, vaultId, owner.address);

  const resources = { assets: 'asset', investments: 'investment', proposals: 'proposal', stakes: 'stake' };
  for (const [list, resource] of Object.entries(resources)) {
    const path = `/vaults/${vaultId}?fields=id&expand=${list}`;
    const own = (await service.api.get<Read>(`/vaults/${vaultId}/${list}`)).body.data;
    const { body } = await service.api.get<Read>(path);
    expect(own[list]).toHaveLength(1);
    expect(body.data['expanded']).toMatchObject({ [list]: { items: own[list], pagination: { total: 1 } } });
    const permissions = ['vault', ...Object.values(resources)].map((each) => ({ resource: each, action: 'READ' }));
    const keyWithout = async (refused: string) =>
      (
        await service.api.post<{ data: { key: string } }>('/api-keys', {
          name: `without ${refused}`,
          roles: [],
          permissions: permissions.filter((permission) => permission.resource !== refused),
        })
      ).body.data.key;
    expect([list, await service.api.get(path, { key: await keyWithout('none') })]).toMatchObject([
      list,
      { status: 200 },
    ]);
    expect([list, await service.api.get(path, { key: await keyWithout(resource) })]).toMatchObject([
      list,
      errorResponse(403, 'INSUFFICIENT_PERMISSIONS'),
    ]);
  }
});

interface Valuation {
  readonly data: {
    readonly valuation: {
      readonly timestamp: string;
      readonly assets: readonly { readonly source: string; readonly asOf: string; readonly ageSeconds: number }[];
    };
  };
}

const times = {
  contribution: '2026-01-01T00:00:00.000Z',
  market: '2026-02-02T00:00:00.000Z',
  settlement: '2026-03-03T00:00:00.000Z',
};

test('source and age of a price are those of the price that counts: FIXED, LBE and settled', async () => {
  const shownFor = async (vaultId: string) => {
    const { timestamp, assets } = (await service.api.get<Valuation>(`/vaults/${vaultId}/valuation`)).body.data
      .valuation;
    const [{ source, asOf, ageSeconds } = { source: '', asOf: '', ageSeconds: 0 }] = assets;
    expect(ageSeconds).toBe(Math.floor((Date.parse(timestamp) - Date.parse(asOf)) / 1000));
    return { source, asOf };
  };
  const shown = (source: keyof typeof times) => ({ source, asOf: times[source] });
  const fixed = await valuedVault('FIXED', 'Barn');
  const open = await valuedVault('LBE', 'Mill');
  expect(await shownFor(fixed)).toEqual(shown('contribution'));
  expect(await shownFor(open)).toEqual(shown('market'));
  await service.sql.run`update assets
      set counted_price = 3000000, counted_at = ${times.settlement}, counted_source = 'settlement'
      where vault_id = any(${[fixed, open]})`;
  for (const vaultId of [fixed, open]) expect(await shownFor(vaultId)).toEqual(shown('settlement'));
  await service.sql.run`update vaults set status = 'LOCKED', locked_at = now() where id = any(${[fixed, open]})`;
  for (const vaultId of [fixed, open]) expect(await shownFor(vaultId)).toEqual(shown('market'));
  await service.sql.run`delete from prices where source = 'market'`;
  for (const vaultId of [fixed, open]) expect(await shownFor(vaultId)).toEqual(shown('settlement'));
});

test('before the settlement, metrics start from what was locked first, and name no time of the settlement', async () => {
  const metrics = async (vaultId: string) => (await service.api.get<Read>(`/vaults/${vaultId}/metrics`)).body.data;
  const { vaultId: empty } = await vaultOf(newWallet(), 'LBE');
  expect(await metrics(empty)).toMatchObject({
    valuation: { initial: '0', current: '0', change: '0.00%' },
    timeline: { locked: null },
  });
  const vaultId = await valuedVault('LBE', 'Quay');
  expect(await metrics(vaultId)).toMatchObject({
    valuation: { initial: '900000', current: '1800000', change: '+100.00%' },
    timeline: { locked: null },
  });
});

async function vaultOf(
  { address, policyId }: { readonly address: string; readonly policyId?: string },
  valuationType: 'FIXED' | 'LBE',
) {
  const body = vaultBody(address);
  const settings = { ...body.asset_settings, valuation_type: valuationType };
  const made = await service.api.post<{ vault_id: string }>('/vaults', { ...body, asset_settings: settings });
  const vaultId = made.body.vault_id;
  const add = async (name: string) => {
    const asset = { policy_id: policyId, asset_name: name, wallet_address: address };
    expect(await service.api.post(`/vaults/${vaultId}/assets`, asset)).toMatchObject({ status: 201 });
  };
  return { vaultId, add };
}

/** A vault with one locked NFT: 1 ADA when it was contributed, 2 ADA on the market. */
async function valuedVault(valuationType: 'FIXED' | 'LBE', name: string): Promise<string> {
  const { vaultId, add } = await vaultOf(await service.fundedWallet({ [name]: '1' }), valuationType);
  await add(name);
  await service.sql.run`update assets
     set status = 'LOCKED', locked_at = now(), price = 1000000, priced_at = ${times.contribution},
     price_source = 'contribution'
     where vault_id = ${vaultId}`;
  await service.sql.run`insert into prices (policy_id, asset_name, lovelace, decimals, as_of, source)
     select policy_id, asset_name, 2000000, decimals, ${times.market}, 'market' from assets where vault_id = ${vaultId}
     on conflict (policy_id, asset_name) do update
       set lovelace = excluded.lovelace, decimals = excluded.decimals, as_of = excluded.as_of, source = excluded.source`;
  return vaultId;
}

test('the response format has one version', async () => {
  const whole = await read('?fields=name');
  expect(await read('?fields=name&version=v1')).toEqual(whole);
  expect(await read('?fields=name&version=v1.0.0')).toEqual(whole);
});

test.each([
  ['?fields=name,colour', 'fields', '`colour` is unknown'],
  ['?fields=', 'fields', '`` is unknown'],
  ['?fields[a]=name', 'fields[a]', 'Unknown field'],
  ['?expand=votes', 'expand', '`votes` is unknown'],
  ['?version=v2', 'version', 'v1'],
  ['?version=v1.0.1', 'version', 'v1'],
])('%s is refused, and the error names the parameter', async (query, field, message) => {
  expect(await service.api.get(`${path}${query}`)).toMatchObject({
    status: 400,
    body: { error: { details: { errors: [{ field, message: expect.stringContaining(message) }] } } },
  });
});

test('a change with If-Match is made only while the vault is as it was read', async () => {
  const tagOf = async () => (await service.api.get(path)).headers.get('etag') ?? '';
  const change = (fdp: string, tag: string) =>
    service.api.patch(
      path,
      { termination: { fdp } },
      { headers: { 'if-match': tag, 'idempotency-key': `fdp-${fdp}` } },
    );
  const before = await tagOf();
  expect(await change('1', before)).toHaveProperty('status', 200);
  expect(await change('2', before)).toMatchObject(errorResponse(412, 'PRECONDITION_FAILED'));
  expect(await read('?fields=termination')).toMatchObject({ termination: { fdp: 1 } });
  // The repeated request gets its response again, although the vault has changed since.
  expect(await change('1', before)).toHaveProperty('status', 200);

  const now = await tagOf();
  const raced = await Promise.all(['3', '4', '5'].map((fdp) => change(fdp, now)));
  expect(raced.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  expect(await change('6', `W/${await tagOf()}`)).toHaveProperty('status', 200);
  const allowList = { type: 'INVESTOR', operation: 'ADD', addresses: [newWallet().address] };
  const stale = { headers: { 'if-match': now } };
  expect(await service.api.patch(`${path}/allowlist`, allowList, stale)).toHaveProperty('status', 412);
});

test('a change with If-Match is refused if another process has changed the vault while it waited', async () => {
  const tag = (await service.api.get(path)).headers.get('etag') ?? '';
  const vaultId = path.slice(8);
  const lock = `select pg_advisory_xact_lock(hashtextextended('vault:${vaultId}', 0))`;
  const change = await holdLocks(service, lock, async (held) => {
    const sent = service.api.patch(path, { termination: { fdp: '7' } }, { headers: { 'if-match': tag } });
    await held.reached();
    await service.sql.run`update vaults set name = 'Harbour Loft II' where id = ${vaultId}`;
    return { sent };
  });
  expect(await change.sent).toMatchObject(errorResponse(412, 'PRECONDITION_FAILED'));
  expect(await read('?fields=name,termination')).not.toMatchObject({ termination: { fdp: 7 } });
});
