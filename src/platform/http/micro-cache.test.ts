import { expect, test } from '@jest/globals';
import { anonymous, type Caller } from '../../access/rules.ts';
import { createMicroCache } from './micro-cache.ts';
import { ok, type RouteResponse } from './route.ts';

const caller: Caller = { ...anonymous, apiKeyId: 'key' };
const url = '/api/v1/vaults';

/** A cache that hears of changes, and reads whose number is their body. */
function cacheOfReads() {
  const clock = { ms: 0 };
  const cache = createMicroCache({ lifetimeMs: 1000, now: () => clock.ms });
  cache.setListening(true);
  let reads = 0;
  const read = async (of: Partial<Parameters<typeof cache.respond>[0]> = {}, response?: Promise<RouteResponse>) => {
    const { body, sent } = await cache.respond(
      { caller, url, ...of },
      () => response ?? Promise.resolve(ok(`read ${(reads += 1)}`)),
      (work) => work(),
    );
    return sent?.text ?? JSON.stringify(body);
  };
  return { cache, clock, read, count: () => reads };
}

test('a response is reused for one second from when its read began, and no longer', async () => {
  const { clock, read } = cacheOfReads();
  const slow = Promise.withResolvers<RouteResponse>();
  const reading = read({}, slow.promise);
  clock.ms = 600;
  slow.resolve(ok('slow'));
  expect(await reading).toBe('"slow"');
  clock.ms = 999;
  expect(await read()).toBe('"slow"');
  clock.ms = 1000;
  expect(await read()).toBe('"read 1"');
});

test('nobody gets what was read for another caller or URL', async () => {
  const { read } = cacheOfReads();
  const others: Partial<Parameters<typeof read>[0]>[] = [
    {},
    { url: `${url}?page=2` },
    { caller: { ...caller, wallet: 'addr1' } },
    { caller: { ...caller, wallet: 'addr1', sessionId: 'another session' } },
    { caller: { ...caller, roles: ['ADMIN'] } },
    { caller: { ...caller, permissions: [{ resource: 'vault', action: 'READ' }] } },
    { caller: { ...caller, apiKeyId: 'another' } },
  ];
  const first = await Promise.all(others.map((other) => read(other)));
  expect(new Set(first).size).toBe(others.length);
  expect(await Promise.all(others.map((other) => read(other)))).toEqual(first);
  expect(await read({ caller: { ...caller } })).toBe(first[0]);
});

test('after a change nothing is used that was read before, or whose read had begun before', async () => {
  const { cache, read } = cacheOfReads();
  expect([await read(), await read()]).toEqual(['"read 1"', '"read 1"']);
  cache.drop();
  expect(await read()).toBe('"read 2"');

  cache.drop();
  const slow = Promise.withResolvers<RouteResponse>();
  const reading = read({}, slow.promise);
  cache.drop();
  expect(await read()).toBe('"read 3"');
  slow.resolve(ok('from before the change'));
  expect(await reading).toBe('"from before the change"');
  expect(await read()).toBe('"read 3"');
});

test('requests that come during a read share it, but none waits for a read that waits at the concurrency limit', async () => {
  const { cache, read } = cacheOfReads();
  const turn = Promise.withResolvers<null>();
  const waiting = cache.respond(
    { caller, url },
    () => Promise.resolve(ok('late')),
    async (work) => {
      await turn.promise;
      return work();
    },
  );
  const slow = Promise.withResolvers<RouteResponse>();
  const together = [read({}, slow.promise), read(), read()];
  slow.resolve(ok('shared'));
  expect(await Promise.all(together)).toEqual(Array(3).fill('"shared"'));
  turn.resolve(null);
  expect((await waiting).sent?.text).toBe('"shared"');
});

test('refusals, errors, sessions and responses with headers are not cached', async () => {
  const { read, count } = cacheOfReads();
  await expect(read({}, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  for (const response of [
    { status: 404, body: 'none' },
    { ...ok('named'), headers: { Link: 'x' } },
    { ...ok('in'), issuedSession: 's' },
    { status: 200, body: undefined },
    ok('long'.repeat(200_000)),
  ])
    await read({}, Promise.resolve(response));
  await read();
  expect(count()).toBe(1);
});

test('nothing is cached while the changes of other processes are not heard', async () => {
  const { cache, read } = cacheOfReads();
  await read();
  cache.setListening(false);
  expect([await read(), await read()]).toEqual(['"read 2"', '"read 3"']);
  cache.setListening(true);
  expect([await read(), await read()]).toEqual(['"read 4"', '"read 4"']);
});

test('it keeps at most 2,000 responses and 16 million characters', async () => {
  const { read, count } = cacheOfReads();
  for (let number = 0; number <= 2_000; number += 1) await read({ url: `${url}/${number}` });
  await read({ url: `${url}/0` });
  expect(count()).toBe(2_002);

  const long = cacheOfReads();
  await long.read();
  for (let number = 0; number < 33; number += 1)
    await long.read({ url: `${url}/${number}` }, Promise.resolve(ok('x'.repeat(490_000))));
  await long.read();
  expect(long.count()).toBe(2);
});
