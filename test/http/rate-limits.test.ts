import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formatApiKey, parseApiKey } from '../../src/access/api-keys.ts';
import { newSessionToken } from '../../src/access/sessions.ts';
import { wallClock, type Instant, instant } from '../../src/platform/units/time.ts';
import { clientAddresses } from '../../src/platform/http/client-address.ts';
import { specRateLimits } from '../../src/platform/http/rate-limiter.ts';
import { deleteEndedWindows } from '../../src/platform/http/queries/rate-limits.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { notesService } from './notes-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

const NOTE = '/api/v1/notes/01890a5d-ac96-774b-bcce-b302099a8057';
let now: Instant = wallClock.now();
const start = () =>
  notesService({ databaseUrl: database.url, clock: { now: () => now }, app: { limits: specRateLimits } });
type Service = Awaited<ReturnType<typeof start>>;

const get = (service: Service, key?: string) => service.call('GET', NOTE, key === undefined ? {} : { key });
async function statusesOf(count: number, once: () => Promise<Response>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let i = 0; i < count; i += 1) {
    const { status } = await once();
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

test('the 101st request of a key within 15 minutes is refused, counted over two processes, and the next window starts again', async () => {
  await using one = await start();
  await using two = await start();
  const key = await one.key(['VAULT_CREATOR']);
  const first = await get(one, key);
  expect(first.headers.get('ratelimit-policy')).toMatch(/^"default"; q=100; w=900/);
  const [, left] = /^"default"; r=99; t=(\d+)$/.exec(first.headers.get('ratelimit') ?? '') ?? [];
  // The header uses the machine's clock, which has advanced since `now`.
  const passed = Math.ceil((wallClock.now() - now) / 1000);
  expect(Number(left)).toBeLessThanOrEqual(900);
  expect(Number(left)).toBeGreaterThanOrEqual(900 - passed);
  let turn = 0;
  expect(await statusesOf(99, () => get((turn += 1) % 2 ? one : two, key))).toEqual({ 404: 99 });

  const refused = await get(two, key);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900);
  const retryAfterSeconds = Number(refused.headers.get('retry-after'));
  expect(await refused.json()).toMatchObject({
    error: { code: 'RATE_LIMIT_EXCEEDED', details: { retryAfterSeconds } },
  });

  now = instant(now + 900_000);
  expect(await get(one, key)).toHaveProperty('status', 404);
});

test('an ADMIN key may send 1000 requests, and a key with its own limit that many', async () => {
  await using service = await start();
  const adminKey = await service.key(['ADMIN']);
  const admin = await get(service, adminKey);
  expect(admin.headers.get('ratelimit-policy')).toMatch(/q=1000; w=900/);
  await service.db.updateTable('rate_limits').set({ hits: 998 }).where('hits', '=', 1).execute();
  expect(await statusesOf(4, () => get(service, adminKey))).toEqual({ 404: 2, 429: 2 });
  const key = await service.key(['ADMIN'], { rateLimit: 3 });
  expect(await statusesOf(5, () => get(service, key))).toEqual({ 404: 3, 429: 2 });
});

test('concurrent requests are counted exactly, separately for each key', async () => {
  await using one = await start();
  await using two = await start();
  const keys = [await one.key(['ADMIN'], { rateLimit: 30 }), await one.key(['ADMIN'], { rateLimit: 50 })];
  const ask = async (number: number) => {
    const key = keys[number % 2];
    const { status } = await get(number % 4 < 2 ? one : two, key);
    return { key, status };
  };

  const answers = await Promise.all(Array.from({ length: 160 }, (_, number) => ask(number)));

  const passed = (wanted?: string) => answers.filter(({ key, status }) => key === wanted && status === 404).length;
  expect(keys.map(passed)).toEqual([30, 50]);
});

test('requests with invalid keys are counted by IP address, so that a new guess gets no new limit', async () => {
  await using service = await start();
  let guess = 0;
  expect(await statusesOf(103, () => get(service, `vts_test_${(guess += 1)}`))).toEqual({ 401: 100, 429: 3 });
  expect(await service.call('GET', '/openapi.json')).toHaveProperty('status', 429);
  expect(await get(service, await service.key(['VOTER']))).not.toHaveProperty('status', 429);
});

const startBehindProxy = () =>
  notesService({
    databaseUrl: database.url,
    clock: { now: () => now },
    app: { limits: specRateLimits, addressOf: clientAddresses(1) },
  });
const from = (number: number) => ({ 'x-forwarded-for': `192.0.2.${number}` });

test('a change is counted once while its key is looked up, and with a key that has ended meanwhile for the IP address', async () => {
  await using service = await startBehindProxy();
  const key = await service.key(['ADMIN'], { rateLimit: 10 });
  const headers = from(77);
  const change = () => service.call('POST', '/api/v1/correlations', { key, headers, json: { text: 'x' } });
  const hits = async (caller: string) => {
    const rows = await service.db.selectFrom('rate_limits').select('hits').where('caller', '=', caller).execute();
    return rows.map((row) => row.hits);
  };
  const { id = '' } = parseApiKey(key) ?? {};
  expect(await statusesOf(9, change)).toEqual({ 200: 9 });
  expect([await hits(`key:${id}`), await hits('ip:192.0.2.77')]).toEqual([[9], []]);
  await service.db
    .updateTable('api_keys')
    .set({ revoked_at: new Date(now) })
    .where('id', '=', id)
    .execute();
  expect(await statusesOf(1, change)).toEqual({ 401: 1 });
  expect(await hits('ip:192.0.2.77')).toEqual([1]);
});

test('one wallet that uses up a key, in many sessions, does not lock out the other clients of the key', async () => {
  await using service = await startBehindProxy();
  const key = await service.key(['VAULT_CREATOR'], { rateLimit: 20 });
  const greedy = await Promise.all(Array.from({ length: 7 }, () => service.session('the greedy wallet')));
  const other = await service.session('another wallet');
  const as = (session: string, ip: number) => () => service.call('GET', NOTE, { key, session, headers: from(ip) });

  let turn = 0;
  expect(await statusesOf(70, () => as(greedy[(turn += 1) % 7] ?? '', 1)())).toEqual({ 404: 20, 429: 50 });
  expect(await statusesOf(3, as(other, 2))).toEqual({ 404: 2, 429: 1 });
  expect(await statusesOf(3, () => service.call('GET', NOTE, { key, headers: from(3) }))).toEqual({ 404: 2, 429: 1 });
});

test('many wallets at one address cannot take what is reserved for other clients', async () => {
  await using service = await startBehindProxy();
  const key = await service.key(['VAULT_CREATOR'], { rateLimit: 20 });
  const wallets = await Promise.all(Array.from({ length: 40 }, (_, number) => service.session(`wallet ${number}`)));
  const statuses = await Promise.all(
    wallets.map(async (session) => (await service.call('GET', NOTE, { key, session, headers: from(1) })).status),
  );
  expect(statuses.filter((status) => status === 404)).toHaveLength(22);
  const other = await service.session('another wallet');
  expect(await service.call('GET', NOTE, { key, session: other, headers: from(2) })).toHaveProperty('status', 404);
});

test('all clients together get at most half of the limit beyond it', async () => {
  await using service = await startBehindProxy();
  const key = await service.key(['VAULT_CREATOR'], { rateLimit: 20 });
  const statuses: number[] = [];
  for (let round = 0; round < 4; round += 1)
    for (let ip = 1; ip <= 16; ip += 1)
      statuses.push((await service.call('GET', NOTE, { key, headers: from(ip) })).status);
  expect(statuses.filter((status) => status === 404)).toHaveLength(30);
});

test('a caller above its limit is refused without any query', async () => {
  await using service = await start();
  const key = await service.key(['VAULT_CREATOR'], { rateLimit: 1 });
  expect(await statusesOf(2, () => get(service, key))).toEqual({ 404: 1, 429: 1 });
  await service.db.destroy();
  const { status, headers } = await get(service, key);
  expect({ status, retryAfter: Number(headers.get('retry-after')) > 0 }).toEqual({ status: 429, retryAfter: true });
  expect(await statusesOf(20, () => get(service, key))).toEqual({ 429: 20 });
});

const guessedKey = () =>
  formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });

test('a new key or session in every request costs a bounded number of look-ups, and locks out no key in use', async () => {
  await using service = await start();
  const [known, later] = [await service.key(['ADMIN']), await service.key(['ADMIN'])];
  expect(await get(service, known)).toHaveProperty('status', 404);
  const guesses = {
    api_keys: () => get(service, guessedKey()),
    sessions: () => service.call('GET', NOTE, { key: known, session: newSessionToken() }),
  };
  for (const [table, guess] of Object.entries(guesses)) {
    using recorded = recordStatements();
    const statuses = await statusesOf(300, guess);
    const lookups = recorded.statements().filter(({ text }) => text.startsWith(`select * from "${table}"`));
    expect({ table, refused: (statuses[429] ?? 0) >= 180, bounded: lookups.length <= 120 }).toEqual({
      table,
      refused: true,
      bounded: true,
    });
    expect(await get(service, known)).toHaveProperty('status', 404);
    expect(await get(service, later)).toHaveProperty('status', 429);
    now = instant(now + 1_000);
    const session = await service.session(`a wallet behind the same address, ${table}`);
    expect(await service.call('GET', NOTE, { key: known, session })).toHaveProperty('status', 404);
    now = instant(now + 60_000);
  }
  expect(await get(service, later)).toHaveProperty('status', 404);
});

test('ended rate limit windows are deleted', async () => {
  await using service = await start();
  await get(service, await service.key(['ADMIN']));
  now = instant(now + 900_000);
  expect(await deleteEndedWindows(service.db, new Date(now))).toBeGreaterThan(0);
});
