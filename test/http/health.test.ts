import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/platform/units/time.ts';
import { apiReleases } from '../../src/versions/rules.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { clientAddresses } from '../../src/platform/http/client-address.ts';
import { createReadiness, type ReadinessCheck } from '../../src/operations/routes/health/readiness.ts';
import type { ApiContext } from '../../src/api-context.ts';
import { specRateLimits } from '../../src/platform/http/rate-limiter.ts';
import { readLiveness, readReadiness } from '../../src/operations/routes/health.ts';
import { startServer } from '../../src/platform/http/server.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { testLog } from '../stack/test-log.ts';
import { fetchOf } from './fetch-of.ts';

const routes = { api: [], dev: [], open: [readLiveness, readReadiness] };
const request = fetchOf(routes);

/** Starts a server with these readiness checks; its database does not exist. */
async function serviceWith(readiness: Record<string, ReadinessCheck>, clock?: { now(): number }) {
  const log = testLog('health');
  const db = openDatabase('postgres://nobody@127.0.0.1:1/none', () => undefined);
  const logger = createLogger({ service: 'health' }, log);
  const ids = createIds({ clock: wallClock, random: (bytes) => new Uint8Array(bytes) });
  const context = {
    db,
    logger,
    ids,
    wallClock,
    releases: apiReleases,
    readiness: createReadiness(readiness, clock),
  } as unknown as ApiContext;
  const options = {
    addressOf: clientAddresses(0),
    corsOrigins: [],
    rpcOrigin: 'https://ledger.example',
    limits: specRateLimits,
  };
  const server = await startServer(createApp(context, routes, options), { host: '127.0.0.1', port: 0 });
  return {
    get: (path: string) => request(server.url + path),
    logged: () => log.lines.join(''),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

test('liveness returns 200 although the database is down, and without a rate limit', async () => {
  await using service = await serviceWith({ database: () => Promise.reject(new Error('gone')) });
  for (let i = 0; i < 101; i += 1) expect(await service.get('/health/live')).toHaveProperty('status', 200);
  expect(await (await service.get('/health/live')).json()).toEqual({ status: 'live' });
});

test('a process is ready when all its checks pass', async () => {
  await using service = await serviceWith({ database: () => Promise.resolve(), temporal: () => Promise.resolve() });
  const response = await service.get('/health/ready');
  expect(await response.json()).toEqual({
    status: 'ready',
    checks: { database: 'ok', temporal: 'ok' },
  });
});

test('a process that is not ready names the failed checks, and only its log contains the reasons', async () => {
  await using service = await serviceWith({
    database: () => Promise.resolve(),
    temporal: () => Promise.reject(new Error('refused by 10.0.0.7')),
    ledger: () => new Promise(() => undefined),
  });
  const response = await service.get('/health/ready');
  expect(response.status).toBe(503);
  const body = await response.json();
  expect(body).toHaveProperty('error.details.checks', { database: 'ok', temporal: 'failed', ledger: 'failed' });
  expect(JSON.stringify(body)).not.toContain('10.0.0.7');
  expect(service.logged()).toContain('refused by 10.0.0.7');
});

test('a flood of readiness probes runs the checks once a second, and is refused above its limit', async () => {
  let [runs, now] = [0, 0];
  const database = () => {
    runs += 1;
    return Promise.resolve();
  };
  await using service = await serviceWith({ database }, { now: () => now });
  const probe = () => service.get('/health/ready');
  const first = await probe();
  now = 999;
  const answers = [first, await probe()];
  expect(runs).toBe(1);
  now = 1_000;
  do answers.push(...(await Promise.all(Array.from({ length: 300 }, probe))));
  while (!answers.some(({ status }) => status === 429));
  expect(runs).toBe(2);

  // A slow machine needs several windows. The first request of each is told that 199 more may follow.
  const windows = answers.filter(({ headers }) => headers.get('ratelimit')?.includes('; r=199')).length;
  const accepted = answers.filter(({ status }) => status === 200).length;
  expect(accepted).toBeGreaterThan(200 * (windows - 1));
  expect(accepted).toBeLessThanOrEqual(200 * windows);
});
