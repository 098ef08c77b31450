import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKeyRoute } from '../../src/access/routes/api-keys.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { until } from '../stack/until.ts';
import { signingWallet } from './signing-wallet.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Key {
  id: string;
  key: string;
  status: string;
  expiresAt: string | null;
  replaces: string | null;
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function newKey(params: object, as: object = {}): Promise<Key> {
  const { status, body } = await service.api.post<{ data: Key }>('/api-keys', { name: 'test', ...params }, as);
  expect(status).toBe(201);
  return body.data;
}

const actionsOn = async (id: string) => {
  const found = await service.sql.query<{ action: string; metadata: object }>(
    'select action, metadata from audit_log where resource_id = $1 order by recorded',
    [id],
  );
  return found.rows;
};

test('a key is shown once, works until it is revoked, and is in the audit log without its secret', async () => {
  const made = await service.api.post<{ data: Key }>('/api-keys', { name: 'Frontend', roles: ['VAULT_CREATOR'] });
  expect(made.headers.get('cache-control')).toBe('private, no-store');
  const { key, ...shown } = made.body.data;
  expect(shown).toMatchObject({
    name: 'Frontend',
    environment: 'test',
    status: 'ACTIVE',
    lastUsedAt: null,
    replaces: null,
  });
  const path = `/api-keys/${shown.id}`;
  expect(await service.api.get('/vaults', { key })).toMatchObject({ status: 200 });
  expect((await service.api.get(path)).body).toMatchObject({ data: { ...shown, lastUsedAt: expect.any(String) } });
  const list = await service.api.get('/api-keys?limit=100');
  expect(list.body).toMatchObject({
    data: { apiKeys: expect.arrayContaining([expect.objectContaining({ id: shown.id })]) },
  });

  expect(await service.api.del(path)).toMatchObject({ status: 204 });
  expect(await service.api.get('/vaults', { key })).toMatchObject(errorResponse(401, 'INVALID_API_KEY'));
  expect((await service.api.get(path)).body).toMatchObject({ data: { status: 'REVOKED' } });
  expect(await service.api.del(path)).toMatchObject(errorResponse(400, 'API_KEY_ENDED'));
  const audited = await actionsOn(shown.id);
  expect(audited.map(({ action }) => action)).toEqual(['API_KEY_CREATED', 'API_KEY_REVOKED']);
  const everything = JSON.stringify([list.body, audited, await service.sql.run`select * from idempotency_keys`]);
  expect(everything).not.toContain(key.slice(-43));
});

test('the example key for visitors shows them every part of a vault that is not PRIVATE, no other vault, and changes nothing', async () => {
  const { address } = signingWallet();
  const create = async (type: string) => {
    const body = { ...vaultBody(address), vault_type: type, privacy_type: type };
    return (await service.api.post<{ vault_id: string }>('/vaults', body)).body.vault_id;
  };
  const [open, closed] = [await create('PUBLIC'), await create('PRIVATE')];
  const visitor = await newKey(createApiKeyRoute.examples?.['frontendForVisitors'] ?? {});
  for (const part of ['', '/assets', '/investments', '/stakes', '/claims', '/proposals', '/activity'])
    expect([part, (await service.api.get(`/vaults/${open}${part}`, visitor)).status]).toEqual([part, 200]);
  expect(await service.api.get(`/events?vaultId=${open}&after=0`, visitor)).toMatchObject({ status: 200 });
  expect(await service.api.get(`/vaults/${closed}`, visitor)).toMatchObject(errorResponse(404, 'VAULT_NOT_FOUND'));
  const forbidden = errorResponse(403, 'INSUFFICIENT_PERMISSIONS');
  expect(await service.api.post('/vaults', vaultBody(address), visitor)).toMatchObject(forbidden);
  expect(await service.api.post(`/vaults/${open}/investments`, { lovelace: 5_000_000 }, visitor)).toMatchObject(
    forbidden,
  );
});

test('a rotated key and its successor are both valid during the overlap, and it is rotated once', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const old = await newKey({ roles: ['VOTER'], expiresAt });
  const rotate = (id: string, body: object) => service.api.post<{ data: Key }>(`/api-keys/${id}/rotate`, body);
  const successor = (await rotate(old.id, { overlapSeconds: 60 })).body.data;
  expect(successor).toMatchObject({ replaces: old.id, roles: ['VOTER'], expiresAt });
  for (const { key } of [old, successor])
    expect(await service.api.get('/vaults', { key })).toMatchObject({ status: 200 });
  const { data } = (await service.api.get<{ data: Key }>(`/api-keys/${old.id}`)).body;
  expect(Date.parse(data.expiresAt ?? '')).toBeLessThan(Date.now() + 61_000);
  expect(await rotate(old.id, {})).toMatchObject(errorResponse(400, 'API_KEY_ALREADY_ROTATED'));

  await rotate(successor.id, { overlapSeconds: 0 });
  expect(await service.api.get('/vaults', successor)).toMatchObject(errorResponse(401, 'INVALID_API_KEY'));
  expect(await rotate(successor.id, {})).toMatchObject({ status: 400 });
  expect(await rotate('0'.repeat(32), {})).toMatchObject(errorResponse(404, 'API_KEY_NOT_FOUND'));
});

test('a key cannot give, rotate or revoke what it may not do itself', async () => {
  const forbidden = errorResponse(403, 'INSUFFICIENT_PERMISSIONS');
  const manages = { resource: 'apiKey', action: '*' };
  const manager = await newKey({ roles: ['VAULT_CREATOR'], permissions: [manages] });
  const create = (params: object) => service.api.post('/api-keys', { name: 'made', ...params }, manager);
  expect(await create({ roles: ['ADMIN'] })).toMatchObject(forbidden);
  expect(await create({ roles: ['VOTER'] })).toMatchObject(forbidden);
  expect(await create({ roles: [], permissions: [{ resource: 'vault', action: 'DELETE' }] })).toMatchObject(forbidden);
  expect(await create({ roles: [], permissions: [{ resource: '*', action: 'READ' }] })).toMatchObject(forbidden);
  const made = await newKey({ roles: ['VAULT_CREATOR'], permissions: [manages] }, manager);
  expect(made).toMatchObject({ createdBy: manager.id });

  const admin = await newKey({ roles: ['ADMIN'] });
  expect(await service.api.post(`/api-keys/${admin.id}/rotate`, {}, manager)).toMatchObject(forbidden);
  expect(await service.api.del(`/api-keys/${admin.id}`, undefined, manager)).toMatchObject(forbidden);
  expect(await service.api.get('/vaults', admin)).toMatchObject({ status: 200 });
});

test('a key cannot make one that lives longer than itself, by no way', async () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const later = new Date(Date.now() + 7_200_000).toISOString();
  const manager = await newKey({ roles: ['ADMIN'], expiresAt: inAnHour });
  const tooLate = errorResponse(403, 'INSUFFICIENT_PERMISSIONS', { errors: [{ field: 'expiresAt' }] });
  const params = { name: 'made', roles: ['VOTER'] };
  expect(await service.api.post('/api-keys', { ...params, expiresAt: later }, manager)).toMatchObject(tooLate);
  expect(await newKey({ roles: ['VOTER'] }, manager)).toMatchObject({ expiresAt: inAnHour });
  expect(await newKey({ roles: ['VOTER'], expiresAt: inAnHour }, manager)).toMatchObject({ expiresAt: inAnHour });
  const wallet = signingWallet();
  await service.api.put(`/wallets/${wallet.address}/roles`, { roles: ['ADMIN'] });
  const { headers } = await logIn(service, wallet);
  expect(await newKey({ roles: ['VOTER'] }, { ...manager, headers })).toMatchObject({ expiresAt: inAnHour });

  // Another test may have made an ADMIN key, which limits the key that makes this one.
  await service.sql.run`update api_keys set expires_at = null where created_by = 'bootstrap'`;
  const endless = await newKey({ roles: ['VOTER'] });
  expect(endless.expiresAt).toBeNull();
  const rotate = (id: string, body: object) => service.api.post<{ data: Key }>(`/api-keys/${id}/rotate`, body, manager);
  expect(await rotate(endless.id, { expiresAt: later })).toMatchObject(tooLate);
  expect(await rotate(endless.id, {})).toMatchObject({ status: 201, body: { data: { expiresAt: inAnHour } } });
  expect(await rotate(manager.id, { expiresAt: later })).toMatchObject(tooLate);
});

/** A schema of a record leaves it out, so that the permission would have no condition. */
const protoCondition: unknown = JSON.parse('{"__proto__":"x"}');

test.each<[object, string]>([
  [{ name: '', roles: [] }, 'name'],
  [{ name: 'x', roles: ['EMPEROR'] }, 'roles.0'],
  [{ name: 'x', roles: [], permissions: [{ resource: 'vault', action: 'FLY' }] }, 'permissions.0.action'],
  [{ name: 'x', roles: [], permissions: [{ resource: 'valut', action: 'READ' }] }, 'permissions.0.resource'],
  [
    { name: 'x', roles: [], permissions: [{ resource: 'vault', action: 'READ', conditions: protoCondition }] },
    'permissions.0.conditions.__proto__',
  ],
  [{ name: 'x', roles: [], environment: 'elsewhere' }, 'environment'],
  [{ name: 'x', roles: [], expiresAt: '9999-12-31T23:59:59-10:00' }, 'expiresAt'],
  [{ name: 'x', roles: [], expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  [{ name: 'x', roles: [], rateLimit: 0 }, 'rateLimit'],
])('a key that cannot be is refused with the name of the field: %j', async (body, field) => {
  const answer = await service.api.post('/api-keys', body);
  expect(answer).toMatchObject({ status: 400, body: { error: { details: { errors: [{ field }] } } } });
});

test('a revoked key and an ended session are refused by other processes at once, also after their connection was lost', async () => {
  const other = await service.secondApi();
  const wallet = signingWallet();
  const revokedEverywhere = async () => {
    const { id, key } = await newKey({ roles: ['VAULT_CREATOR'] });
    const session = await logIn(service, wallet);
    expect(await other.get('/vaults', { key })).toMatchObject({ status: 200 });
    expect(await other.get('/auth/sessions', session)).toMatchObject({ status: 200 });
    await service.api.del(`/api-keys/${id}`);
    await service.api.del('/auth/sessions', undefined, session);
    // Shorter than the five seconds for which a process may use what it knows.
    const soon = { deadlineMs: 3_000, what: 'the refusal by the other process' };
    await until(async () => (await other.get('/vaults', { key })).status === 401, soon);
    await until(async () => (await other.get('/auth/sessions', session)).status === 401, soon);
  };
  await revokedEverywhere();
  const listeners = `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen "credential_changes"' and datname = current_database()`;
  expect((await service.sql.query(listeners)).rows).toHaveLength(2);
  const again = `select 1 from pg_stat_activity where query = 'listen "credential_changes"' and datname = current_database()`;
  await until(async () => (await service.sql.query(again)).rows.length === 2, { what: 'the listeners to be back' });
  await revokedEverywhere();
});

test('a revoked key that a process still knows makes no key, ends none and gives no role', async () => {
  const [stolen, victim, wallet] = [await newKey({ roles: ['ADMIN'] }), await newKey({ roles: [] }), signingWallet()];
  const isKnown = async () => (await service.api.get('/api-keys', stolen)).status;
  expect([await isKnown(), await isKnown()]).toEqual([200, 200]);
  await service.sql.run`update api_keys set revoked_at = now() - interval '1 s' where id = ${stolen.id}`;
  expect(await isKnown()).toBe(200);
  const ended = errorResponse(401, 'INVALID_API_KEY');
  expect(await service.api.post('/api-keys', { name: 'spare', roles: ['ADMIN'] }, stolen)).toMatchObject(ended);
  expect(await service.api.post(`/api-keys/${victim.id}/rotate`, {}, stolen)).toMatchObject(ended);
  expect(await service.api.del(`/api-keys/${victim.id}`, undefined, stolen)).toMatchObject(ended);
  const roles = `/wallets/${wallet.address}/roles`;
  expect(await service.api.put(roles, { roles: ['ADMIN'] }, stolen)).toMatchObject(ended);
  expect(await service.api.get(roles)).toMatchObject({ body: { data: { roles: [] } } });
});

test('a wallet has the roles it was given in every process, until they are taken away', async () => {
  const wallet = signingWallet();
  const session = await logIn(service, wallet);
  const path = `/wallets/${wallet.address}/roles`;
  const create = () => service.api.post('/vaults', vaultBody(wallet.address), session);
  const forbidden = errorResponse(403, 'INSUFFICIENT_PERMISSIONS');
  const given = (roles: string[], effectiveRoles: string[]) => ({
    status: 200,
    body: { data: { walletAddress: wallet.address, roles, effectiveRoles } },
  });
  expect(await create()).toMatchObject(forbidden);
  expect(await service.api.put(path, { roles: ['VAULT_CREATOR'] }, session)).toMatchObject(forbidden);
  expect(await service.api.put(path, { roles: ['VAULT_CREATOR'] })).toMatchObject(
    given(['VAULT_CREATOR'], ['PARTICIPANT', 'VAULT_CREATOR']),
  );
  expect(await create()).toMatchObject({ status: 201 });
  expect(await service.api.put(path, { roles: [] })).toMatchObject(given([], ['PARTICIPANT']));
  expect(await service.api.get(path)).toMatchObject(given([], ['PARTICIPANT']));
  expect(await create()).toMatchObject(forbidden);
  expect(await service.api.put('/wallets/nobody/roles', { roles: [] })).toMatchObject(
    errorResponse(400, 'INVALID_ADDRESS'),
  );
  expect((await actionsOn(wallet.address)).map(({ metadata }) => metadata)).toMatchObject([
    { before: [], after: ['VAULT_CREATOR'] },
    { before: ['VAULT_CREATOR'], after: [] },
  ]);

  const manager = await newKey({ roles: ['VOTER'], permissions: [{ resource: 'role', action: 'UPDATE' }] });
  expect(await service.api.put(path, { roles: ['VOTER'] }, manager)).toMatchObject({ status: 200 });
  expect(await service.api.put(path, { roles: ['ADMIN'] }, manager)).toMatchObject(forbidden);
  await service.api.put(path, { roles: ['ADMIN'] });
  expect(await service.api.put(path, { roles: [] }, manager)).toMatchObject(forbidden);
});

test('DEFAULT_WALLET_ROLES lets every wallet that is logged in create vaults', async () => {
  await using open = await apiService({ DEFAULT_WALLET_ROLES: 'VAULT_CREATOR' });
  const wallet = signingWallet();
  const session = await logIn(open, wallet);
  expect(await open.api.post('/vaults', vaultBody(wallet.address), session)).toMatchObject({ status: 201 });
  expect(await open.api.post('/vaults', vaultBody(wallet.address), { key: session.key })).toMatchObject(
    errorResponse(403, 'INSUFFICIENT_PERMISSIONS'),
  );
});
