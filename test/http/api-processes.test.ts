import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { isRunning } from '../../embedded/process-life.ts';
import { apiClient } from '../stack/api-client.ts';
import { holdLocks } from '../stack/hold-locks.ts';
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
    url,
    metricsUrl,
    api: apiClient(() => url, null),
    processes: () => processesOf(child),
    async stop() {
      child.kill('SIGTERM');
      return exit;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
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

test('when the process that started the others is killed, they answer what they have begun, and end', async () => {
  await using database = await testDatabase();
  await using running = await startApi(database.url);
  const processes = await running.processes();
  const { hostname, port } = new URL(running.url);
  const key = 'vts_development_00000000000000000000000000000000_' + 'A'.repeat(43);
  const head = `POST /api/v1/sessions HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${key}\r\n`;
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await holdLocks(database, 'lock table rate_limits', async (held) => {
    socket.write(`${head}Content-Length: 0\r\n\r\n`);
    await held.reached();
    await running.kill();
  });
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 401 /);
  await until(() => processes.every((pid) => !isRunning(pid)), { what: 'the processes to end' });
});
