import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holdLocks } from '../stack/hold-locks.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';

let service: ApiService;
let path: string;
beforeAll(async () => {
  service = await apiService();
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  path = `/vaults/${made.body.vault_id}`;
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

test('the response format has one version', async () => {
  const whole = await read('?fields=name');
  expect(await read('?fields=name&version=v1')).toEqual(whole);
  expect(await read('?fields=name&version=v1.0.0')).toEqual(whole);
});

test.each([
  ['?fields=name,colour', 'fields', '`colour` is not known'],
  ['?fields=', 'fields', '`` is not known'],
  ['?fields[a]=name', 'fields[a]', 'There is no such field'],
  ['?expand=votes', 'expand', '`votes` is not known'],
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
  expect(await change('2', before)).toMatchObject({ status: 412, body: { error: { code: 'PRECONDITION_FAILED' } } });
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
  const fence = `select pg_advisory_xact_lock(hashtextextended('vault:${vaultId}', 0))`;
  const change = await holdLocks(service, fence, async (held) => {
    const sent = service.api.patch(path, { termination: { fdp: '7' } }, { headers: { 'if-match': tag } });
    await held.reached();
    await service.sql.query("update vaults set name = 'Harbour Loft II' where id = $1", [vaultId]);
    return { sent };
  });
  expect(await change.sent).toMatchObject({ status: 412, body: { error: { code: 'PRECONDITION_FAILED' } } });
  expect(await read('?fields=name,termination')).not.toMatchObject({ termination: { fdp: 7 } });
});
