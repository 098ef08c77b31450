import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { apiClient } from '../stack/api-client.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testDatabase } from '../stack/test-database.ts';
import { testLog } from '../stack/test-log.ts';
import { until } from '../stack/until.ts';

const main = fileURLToPath(new URL('../../src/api-main.ts', import.meta.url));
/** Nothing answers there: these processes only need Postgres. */
const NOWHERE = 'http://127.0.0.1:9';

/** An api of two processes. */
async function startApi(databaseUrl: string) {
  const environment = {
    ENVIRONMENT: 'development',
    API_PROCESSES: '2',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    NETWORK: 'preview',
    LEDGER_URL: NOWHERE,
    PRICE_FEED_URL: NOWHERE,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT: '0',
    METRICS_PORT: '0',
  };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const log = testLog('api-processes');
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    log.write(`${line}\n`);
  });
  const ready = new Promise<{ url: string; metricsUrl: string }>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('{"ready":true')) resolve(JSON.parse(line) as { url: string; metricsUrl: string });
    });
  });
  const ended = exit.then(() => Promise.reject(new Error('the api ended')));
  ended.catch(() => undefined);
  const { url, metricsUrl } = await Promise.race([ready, ended]);
  return {
    metricsUrl,
    api: apiClient(() => url, null),
    processes: () => processesOf(child),
    async stop() {
      child.kill('SIGTERM');
      return exit;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The ids of the processes that a process has started. */
async function processesOf({ pid = 0 }: ChildProcess): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

test('two processes answer on one port, one that is killed is started again, and all end in peace', async () => {
  await using database = await testDatabase();
  await using running = await startApi(database.url);
  const { api, metricsUrl } = running;
  const isAlive = async () => (await api.get('/health/live')).status === 200;
  const before = await running.processes();
  expect(before).toHaveLength(2);

  for (let sent = 0; sent < 10; sent += 1) expect(await isAlive()).toBe(true);
  const counted = await until(
    async () => {
      const series = 'http_request_duration_seconds_count{method="GET",route="/health/live",status="2xx"}';
      const text = await readMetrics(metricsUrl);
      return valueOf(text, series) === 10 && text;
    },
    { what: 'the requests of both processes to be added up' },
  );
  expect(valueOf(counted, 'database_up')).toBe(1);

  process.kill(before[0] ?? 0, 'SIGKILL');
  await until(() => isAlive().catch(() => false), { what: 'the other process to answer' });
  const after = await until(
    async () => {
      const now = await running.processes();
      return now.length === 2 && !now.includes(before[0] ?? 0) && now;
    },
    { what: 'a process to be started again', deadlineMs: 30_000 },
  );
  expect(after).toContain(before[1]);
  expect(await isAlive()).toBe(true);

  expect(await running.stop()).toEqual([0, null]);
  await expect(isAlive()).rejects.toThrow();
});
