import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { wallClock, type Instant, instant } from '../../src/platform/units/time.ts';
import { deleteExpiredResponses } from '../../src/platform/http/queries/idempotency.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { createIdempotency, onceForAll } from '../../src/platform/http/idempotency.ts';
import { notesService } from './notes-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

let now: Instant = wallClock.now();
async function start(
  whileWriting: (text: string) => Promise<void> = () => Promise.resolve(),
  beforeWriting: () => Promise<void> = () => Promise.resolve(),
) {
  const clock = { now: () => now };
  const service = await notesService({ databaseUrl: database.url, clock, whileWriting, beforeWriting });
  const key = await service.key(['ADMIN']);
  const before = await service.countNotes();
  return Object.assign(service, {
    adminKey: key,
    add: (idempotencyKey: string, json: unknown = { text: 'once' }, apiKey = key) =>
      service.call('POST', '/api/v1/notes', { key: apiKey, json, headers: { 'idempotency-key': idempotencyKey } }),
    added: async () => (await service.countNotes()) - before,
  });
}

test('a repeated request gets the same response and changes nothing', async () => {
  await using service = await start();
  const first = await service.add('order-1');
  const again = await service.add('order-1');
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(first.headers.has('idempotency-replayed')).toBe(false);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.text()).toBe(await first.text());
  expect(await service.added()).toBe(1);
});

test('an empty response is repeated as an empty response', async () => {
  await using service = await start();
  const remove = () =>
    service.call('DELETE', '/api/v1/notes/01890a5d-ac96-774b-bcce-b302099a8057', {
      key: service.adminKey,
      headers: { 'idempotency-key': 'gone' },
    });
  expect((await remove()).status).toBe(204);
  const again = await remove();
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.text()).toBe('');
});

test('an idempotency key used for another request is refused', async () => {
  await using service = await start();
  await service.add('order-1', { text: 'one' });
  const other = await service.add('order-1', { text: 'two' });
  expect(other.status).toBe(422);
  expect(await other.json()).toHaveProperty('error.code', 'IDEMPOTENCY_KEY_REUSED');
  expect(await service.added()).toBe(1);
});

test('callers do not share idempotency keys', async () => {
  await using service = await start();
  await service.add('order-1');
  await service.add('order-1', { text: 'once' }, await service.key(['ADMIN']));
  expect(await service.added()).toBe(2);
});

test('one of ten concurrent identical requests is executed, and all get its response', async () => {
  await using service = await start();
  const responses = await Promise.all(Array.from({ length: 10 }, () => service.add('twins')));
  const bodies = new Set(await Promise.all(responses.map((response) => response.text())));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  expect(responses.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
  expect(bodies.size).toBe(1);
  expect(await service.added()).toBe(1);
});

test('of requests with one key that are recorded together only the first runs, and all get its result, also a refusal', async () => {
  const db = openDatabase(database.url, () => undefined, 1);
  const request = (key: string, amount: number) => ({
    amount,
    idempotency: createIdempotency(
      { apiKeyId: 'together', wallet: null, operation: 'castVote', key, url: '/', body: { amount } },
      wallClock,
    ),
  });
  const requests = [
    request('refused', 9),
    request('refused', 9),
    request('refused', 8),
    request('new', 1),
    request('new', 1),
  ];
  const ran: number[] = [];
  const work = (fresh: readonly { readonly amount: number }[]) => {
    ran.push(...fresh.map(({ amount }) => amount));
    const results = fresh.map(({ amount }) =>
      amount > 5 ? new ServiceError('INSUFFICIENT_VOTING_POWER') : { status: 200, body: { amount } },
    );
    return Promise.resolve(results);
  };
  const results = await db.transaction().execute((tx) => onceForAll(tx, requests, work));
  expect(ran).toEqual([9, 1]);
  expect(results).toMatchObject([
    { code: 'INSUFFICIENT_VOTING_POWER' },
    { code: 'INSUFFICIENT_VOTING_POWER' },
    { code: 'IDEMPOTENCY_KEY_REUSED' },
    { status: 200, body: { amount: 1 } },
    { status: 200, body: { amount: 1 }, headers: { 'Idempotency-Replayed': 'true' } },
  ]);

  const later = [request('new', 2), request('new', 1)];
  expect(await db.transaction().execute((tx) => onceForAll(tx, later, work))).toMatchObject([
    { code: 'IDEMPOTENCY_KEY_REUSED' },
    { status: 200, body: { amount: 1 }, headers: { 'Idempotency-Replayed': 'true' } },
  ]);
  expect(ran).toEqual([9, 1]);
  await db.destroy();
});

test('a concurrent identical request waits for the first, and is executed if the first fails', async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<undefined>();
  const { promise: release, resolve: letFail } = Promise.withResolvers<undefined>();
  let calls = 0;
  await using service = await start(async () => {
    calls += 1;
    if (calls > 1) return;
    reach(undefined);
    await release;
    throw new Error('failed on the way');
  });
  const first = service.add('twins');
  await reached;
  const second = service.add('twins');
  const settled = await Promise.race([second.then(() => 'answered'), waiterSeen(service).then(() => 'waits')]);
  expect(settled).toBe('waits');
  letFail(undefined);
  expect(await first).toHaveProperty('status', 500);
  expect(await second).toHaveProperty('status', 201);
  expect(await service.added()).toBe(1);
});

test('a connection lost before the commit leaves neither change nor response, so the repeated request is executed', async () => {
  let lose = true;
  await using service = await start(async () => {
    if (!lose) return;
    lose = false;
    const others = sql`datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`.execute(service.db);
  });
  expect(await service.add('crash')).toHaveProperty('status', 500);
  expect(await service.added()).toBe(0);
  const again = await service.add('crash');
  expect(again.status).toBe(201);
  expect(again.headers.has('idempotency-replayed')).toBe(false);
  expect(await service.added()).toBe(1);
});

test('a response that was committed and never arrived is given to the repeated request', async () => {
  const { promise: writing, resolve: wrote } = Promise.withResolvers<undefined>();
  const { promise: gone, resolve: leave } = Promise.withResolvers<undefined>();
  await using service = await start(async () => {
    wrote(undefined);
    await gone;
  });
  const aborted = new AbortController();
  const lost = service.call('POST', '/api/v1/notes', {
    key: service.adminKey,
    json: { text: 'once' },
    headers: { 'idempotency-key': 'lost' },
    signal: aborted.signal,
  });
  await writing;
  aborted.abort();
  await expect(lost).rejects.toThrow('aborted');
  leave(undefined);
  await until(async () => (await service.added()) === 1, { what: 'the commit' });

  const again = await service.add('lost');
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect(await service.added()).toBe(1);
});

test('a request that fails because the same request took what it needs gets the response of that one', async () => {
  const [bothCame, firstAnswered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let came = 0;
  const beforeWriting = async () => {
    came += 1;
    if (came === 1) return bothCame.promise;
    bothCame.resolve(undefined);
    await firstAnswered.promise;
    throw new Error('taken');
  };
  await using service = await start(undefined, beforeWriting);
  const [first, second] = [service.add('twice'), service.add('twice')];
  expect(await Promise.race([first, second])).toHaveProperty('status', 201);
  firstAnswered.resolve(undefined);
  expect([(await first).status, (await second).status]).toEqual([201, 201]);
  expect(await service.added()).toBe(1);
});

test('a stored response survives a restart of the process', async () => {
  const before = await start();
  const apiKey = before.adminKey;
  const first = await (await before.add('restart')).text();
  await before[Symbol.asyncDispose]();
  await using after = await start();
  expect(await (await after.add('restart', { text: 'once' }, apiKey)).text()).toBe(first);
});

test('a refused request does not use up its idempotency key', async () => {
  await using service = await start();
  expect(await service.add('typo', { txt: 'once' })).toHaveProperty('status', 400);
  expect(await service.add('typo')).toHaveProperty('status', 201);
});

test('an idempotency key can be used again after 24 hours', async () => {
  await using service = await start();
  await service.add('daily');
  now = instant(now + 24 * 3_600_000 - 1);
  expect((await service.add('daily')).headers.get('idempotency-replayed')).toBe('true');
  now = instant(now + 1);
  expect((await service.add('daily')).headers.has('idempotency-replayed')).toBe(false);
  expect(await service.added()).toBe(2);
  now = instant(now + 24 * 3_600_000);
  expect(await deleteExpiredResponses(service.db, new Date(now))).toBeGreaterThan(0);
});

test.each(['', 'x'.repeat(256), 'two words'])(
  'the idempotency key %j is refused, and the error names the header',
  async (idempotencyKey) => {
    await using service = await start();
    const response = await service.add(idempotencyKey);
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty('error.details.errors.0.field', 'Idempotency-Key');
    expect(await service.added()).toBe(0);
  },
);

test('a handler that ignores the idempotency key fails with an error in the log', async () => {
  await using service = await start();
  const headers = { 'idempotency-key': 'x' };
  const response = await service.call('POST', '/api/v1/forgetful', { key: service.adminKey, headers });
  expect(response.status).toBe(500);
  expect(service.logged()).toContain('forgetOnce did not use its idempotency key');
});

/** Resolves when some transaction waits for a lock. */
async function waiterSeen({ db }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const deadline = wallClock.now() + 60_000;
  while (wallClock.now() < deadline) {
    const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db);
    if (rows.length > 0) return;
  }
  throw new Error('nobody waits');
}
