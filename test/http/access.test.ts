import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { instant, wallClock } from '../../src/platform/units/time.ts';
import { formatApiKey } from '../../src/access/api-keys.ts';
import { findApiKey, revokeApiKey } from '../../src/access/queries/api-keys.ts';
import { notesService } from './notes-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';
import { storeConfiguredKey } from './configured-key.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

const start = (more: Partial<Parameters<typeof notesService>[0]> = {}) =>
  notesService({ databaseUrl: database.url, ...more });
type Service = Awaited<ReturnType<typeof start>>;
const someId = '01890a5d-ac96-774b-bcce-b302099a8057';
const note = { json: { text: 'hello' } };

const idOf = (key: string) => key.split('_')[2]!;

test('a request without an API key is refused with the error of the specification', async () => {
  await using service = await start();
  const response = await service.call('POST', '/api/v1/notes', note);
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({
    status: 'error',
    error: {
      type: 'AUTHENTICATION_ERROR',
      code: 'API_KEY_REQUIRED',
      message: 'API key required',
      details: { header: 'X-API-Key' },
      correlationId: response.headers.get('x-correlation-id'),
      timestamp: expect.any(String),
    },
  });
  expect(await service.call('GET', '/dev/anything')).toHaveProperty('status', 401);
  expect(await service.call('GET', '/api/v1/nowhere')).toHaveProperty('status', 401);
});

test.each<[string, (service: Service) => Promise<string>]>([
  ['is no key at all', () => Promise.resolve('nonsense')],
  ['is unknown', () => Promise.resolve(formatApiKey({ environment: 'test', id: someId, secret: Buffer.alloc(32) }))],
  ['has another secret', async (s) => (await s.key(['ADMIN'])).slice(0, -5) + 'AAAAA'],
  ['names another environment', async (s) => (await s.key(['ADMIN'])).replace('vts_test', 'vts_prod')],
  ['is stored for another environment', (s) => s.key(['ADMIN'], { environment: 'prod' })],
  ['has expired', (s) => s.key(['ADMIN'], { expiresAt: new Date(wallClock.now() - 1) })],
  [
    'was revoked',
    async (s) => {
      const key = await s.key(['ADMIN']);
      expect(await s.call('POST', '/api/v1/notes', { ...note, key })).toHaveProperty('status', 201);
      await revokeApiKey(s.db, idOf(key), new Date(wallClock.now()));
      s.authenticator.forget({ kind: 'key', id: idOf(key) });
      return key;
    },
  ],
])('a key that %s is refused', async (_case, keyOf) => {
  await using service = await start();
  const key = await keyOf(service);
  const before = await service.countNotes();
  const response = await service.call('POST', '/api/v1/notes', { ...note, key });
  expect(response.status).toBe(401);
  expect(await response.json()).toHaveProperty('error.code', 'INVALID_API_KEY');
  expect(await service.countNotes()).toBe(before);
});

test('a role without the permission is refused before its input is validated, and changes nothing', async () => {
  await using service = await start();
  const before = await service.countNotes();
  const response = await service.call('POST', '/api/v1/notes', {
    key: await service.key(['VOTER']),
    json: { wrong: 1 },
  });
  expect(response.status).toBe(403);
  expect(await response.json()).toHaveProperty('error.message', 'Insufficient permissions');
  expect(await service.countNotes()).toBe(before);
});

test('a conditional permission holds only for resources that meet its condition', async () => {
  await using service = await start();
  const admin = await service.key(['ADMIN']);
  const voter = await service.key(['VOTER']);
  const add = async (text: string) => {
    const response = await service.call('POST', '/api/v1/notes', { key: admin, json: { text } });
    return (await response.json()) as { id: string };
  };
  const [active, locked] = [await add('active'), await add('locked')];
  expect(await service.call('GET', `/api/v1/notes/${active.id}`, { key: voter })).toHaveProperty('status', 200);
  expect(await service.call('GET', `/api/v1/notes/${locked.id}`, { key: voter })).toHaveProperty('status', 403);
  expect(await service.call('GET', `/api/v1/notes/${someId}`, { key: voter })).toHaveProperty('status', 404);
});

test('the permissions of a key are added to those of its roles', async () => {
  await using service = await start();
  const key = await service.key(['VOTER'], { permissions: [{ resource: 'vault', action: 'CREATE' }] });
  expect(await service.call('POST', '/api/v1/notes', { ...note, key })).toHaveProperty('status', 201);
});

test('the last use of a key is recorded at most once a minute', async () => {
  let now = wallClock.now();
  await using service = await start({ clock: { now: () => now } });
  const key = await service.key(['ADMIN']);
  const lastUsed = async () => (await findApiKey(service.db, idOf(key)))?.last_used_at?.getTime();
  const useAt = async (at: number) => {
    now = instant(at);
    await service.call('GET', `/api/v1/notes/${someId}`, { key });
  };
  const first = now;
  await useAt(first);
  expect(await lastUsed()).toBe(first);
  await useAt(first + 59_000);
  expect(await lastUsed()).toBe(first);
  await useAt(first + 61_000);
  expect(await lastUsed()).toBe(first + 61_000);
});

test('the secret of a key is not in the database', async () => {
  await using service = await start();
  const key = await service.key(['ADMIN']);
  const row = await findApiKey(service.db, idOf(key));
  expect(JSON.stringify(row)).not.toContain(key.slice(-43));
});

const bootstrap = (text: string) => ({ text, name: 'bootstrap admin', roles: ['ADMIN'] });

test('the bootstrap key is an ADMIN key, stays one over restarts, and is not restored once revoked', async () => {
  await using service = await start();
  const key = formatApiKey({ environment: 'test', id: someId.replace('0189', '0190'), secret: Buffer.alloc(32, 7) });
  await storeConfiguredKey(service.db, bootstrap(key));
  await storeConfiguredKey(service.db, bootstrap(key));
  expect(await service.call('POST', '/api/v1/notes', { ...note, key })).toHaveProperty('status', 201);
  await expect(storeConfiguredKey(service.db, bootstrap(key.slice(0, -5) + 'AAAAA'))).rejects.toThrow('another secret');
  await revokeApiKey(service.db, idOf(key), new Date(wallClock.now()));
  service.authenticator.forget();
  await storeConfiguredKey(service.db, bootstrap(key));
  expect(await service.call('POST', '/api/v1/notes', { ...note, key })).toHaveProperty('status', 401);
});
