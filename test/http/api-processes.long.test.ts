import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { isRunning } from '../../embedded/process-life.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { testDatabase } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';
import { startProcesses } from './several-processes.ts';

test('two processes answer on one port, one that is killed is started again, and all end in peace', async () => {
  await using database = await testDatabase();
  await using running = await startProcesses({ DATABASE_URL: database.url });
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
  await using running = await startProcesses({ DATABASE_URL: database.url });
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
