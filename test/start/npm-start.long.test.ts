import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Secrets } from '../../embedded/secrets.ts';
import type { StackAddresses } from '../../embedded/stack.ts';
import { readBuildId, currentBuild } from '../../src/platform/temporal/deployment.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { apiClient } from '../stack/api-client.ts';
import { until } from '../stack/until.ts';
import { bundledWorkflows, clientsOf, dataFolder, npmStart, type Started } from './npm-start.ts';
import { processesOf } from './processes.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

/** Of the terminal that starts the stack, for another program. */
const cloudSecret = 'secret-of-another-program';
let folder: Awaited<ReturnType<typeof dataFolder>>;
let running: Started;
let addresses: StackAddresses;
/** Set after the first start, so that later starts reuse its workflow bundle. */
let environment: Record<string, string> = {};

beforeAll(async () => {
  folder = await dataFolder();
  running = npmStart(folder.path, { CLOUD_SECRET: cloudSecret });
  addresses = await running.ready();
  environment = { WORKFLOW_BUNDLE: await bundledWorkflows(folder.path) };
});
afterAll(async () => {
  await running.stop();
  await folder[Symbol.asyncDispose]();
});

const api = () => clientsOf(addresses).root;
const ours = () => processesOf(folder.path, new URL(addresses.databaseUrl).host);
const nothingLeft = () =>
  until(() => ours().length === 0, { what: `the end of ${JSON.stringify(ours())}`, deadlineMs: 120_000 });
const waitUntilReady = () =>
  until(async () => (await api().get('/health/ready', { key: null })).status === 200, { what: 'the api to be ready' });

test('a start causes no 404 response', async () => {
  const lines = await until(
    async () => {
      const log = await readFile(join(folder.path, 'logs', 'api.log'), 'utf8');
      return log.includes('listening') && log.split('\n');
    },
    { what: 'the log line of the listening api' },
  );

  expect(lines.filter((line) => line.includes('"status":404'))).toEqual([]);
});

test('one command starts a working service and writes its addresses and keys to a file only its owner can read', async () => {
  await waitUntilReady();
  expect((await api().get('/api/v1/vaults')).status).toBe(200);
  const statusOf = async (url: string) => (await apiClient(() => url, null).get('')).status;
  const temporalUi = async () => (await statusOf(addresses.temporalUiUrl ?? '')) === 200;
  await until(temporalUi, { what: 'the Temporal UI' });
  for (const { metricsUrl } of [addresses, { metricsUrl: addresses.workerMetricsUrl }]) {
    expect(new URL(metricsUrl).hostname).toBe('127.0.0.1');
    expect(await statusOf(metricsUrl)).toBe(200);
  }
  expect(await statusOf(addresses.docsUrl)).toBe(200);
  expect(running.output()).toContain(addresses.adminKey);
  expect((await stat(join(folder.path, 'stack.json'))).mode & 0o077).toBe(0);
  expect((await stat(join(folder.path, 'secrets.json'))).mode & 0o077).toBe(0);
});

test('the worker of a start is a version of a deployment, and the one that gets all tasks', async () => {
  const client = connectTemporal({ address: addresses.temporalAddress, namespace: 'default', taskQueue: 'none' });
  expect(await currentBuild(client, 'vaults')).toBe(await readBuildId());
  await client.connection.close();
});

test('the frontend key has no permissions of its own; with a session it has those of the wallet, and creates vaults', async () => {
  const { frontendKey: key } = addresses;
  const { body: wallet } = await api().post<{ address: string }>('/dev/wallets');
  const { address } = wallet;
  expect(await api().get('/api/v1/auth/sessions', { key })).toMatchObject({ status: 401 });
  expect(await api().post('/dev/wallets', {}, { key })).toMatchObject({ status: 403 });
  const asked = await api().post<{ data: { nonce: string } }>('/api/v1/auth/nonces', { address }, { key });
  const { nonce } = asked.body.data;
  const timestamp = Date.now();
  const { body: signed } = await api().post<object>(`/dev/wallets/${address}/sign-data`, {
    payload: Buffer.from(`${nonce}:${timestamp}`).toString('hex'),
  });
  const login = { address, nonce, timestamp, ...signed };
  const session = await api().post<{ data: { token: string } }>('/api/v1/auth/sessions', login, { key });
  expect(session).toMatchObject({ status: 201 });
  expect(session.headers.get('ratelimit')).toMatch(/r=99\d\d/);

  const headers = { authorization: `Bearer ${session.body.data.token}` };
  expect(await api().get('/api/v1/auth/sessions', { key, headers })).toMatchObject({ status: 200 });
  expect(await api().post('/api/v1/vaults', vaultBody(address), { key })).toMatchObject({ status: 403 });
  expect(await api().post('/api/v1/vaults', vaultBody(address), { key, headers })).toMatchObject({ status: 201 });
  expect(running.output()).toContain(key);
});

test('a frontend in development, on any port of this machine, may read responses, and no other page', async () => {
  const allowed = async (origin: string) => {
    const { headers } = await api().get('/api/v1/vaults', { key: null, headers: { origin } });
    return headers.get('access-control-allow-origin');
  };
  expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
  expect(await allowed('http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000');
  expect(await allowed('https://evil.example')).toBeNull();
});

test('only the worker gets the custody key', () => {
  const holders = processesOf('OPERATOR_MNEMONIC=').filter(({ pid }) => ours().some((process) => process.pid === pid));

  expect(holders.map(({ command }) => command)).toEqual([expect.stringContaining('worker/main.ts')]);
});

test('each part gets the secrets that it uses and no others, and none is in its arguments', async () => {
  const secrets = JSON.parse(await readFile(join(folder.path, 'secrets.json'), 'utf8')) as Secrets;
  const parts = {
    postgres: '/native/bin/postgres',
    temporal: 'server start-dev',
    ledger: 'embedded/ledger/main.ts',
    worker: 'worker/main.ts',
    api: 'embedded/api.ts',
    guardian: 'embedded/guardian.ts',
  };
  const holdersOf = async (secret: string) => {
    const holders = Object.entries(parts).map(async ([name, mark]) => {
      const { pid, command } = ours().find((process) => process.command.includes(mark))!;
      expect([name, command]).not.toEqual([name, expect.stringContaining(secret)]);
      const variables = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
      return variables.some((variable) => variable.includes(secret)) ? [name] : [];
    });
    return (await Promise.all(holders)).flat();
  };

  expect(await holdersOf(cloudSecret)).toEqual([]);
  expect(await holdersOf(secrets.operatorMnemonic)).toEqual(['worker']);
  expect(await holdersOf(secrets.encryptionKey)).toEqual(['api']);
  expect(await holdersOf(secrets.adminKey)).toEqual(['api']);
  expect(await holdersOf(secrets.frontendKey)).toEqual([]);
  expect(await holdersOf(secrets.databasePassword)).toEqual([]);
  expect(await holdersOf(secrets.workerDatabasePassword)).toEqual(['worker']);
  expect(await holdersOf(secrets.apiDatabasePassword)).toEqual(['api']);
});

test('a second start on a data folder in use is refused and leaves the first one running', async () => {
  const second = npmStart(folder.path);

  expect(await second.exit).toBe(1);
  expect(second.output()).toContain('is in use by another start');
  await waitUntilReady();
});

test('a port in use is named', async () => {
  await using other = await dataFolder();
  for (const [variable, url] of [
    ['PORT', addresses.apiUrl],
    ['METRICS_PORT', addresses.metricsUrl],
    ['WORKER_METRICS_PORT', addresses.workerMetricsUrl],
  ] as const) {
    const { port } = new URL(url);
    const second = npmStart(other.path, { [variable]: port });

    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(`Port ${port} (${variable}) is in use`);
  }
  expect(processesOf(other.path)).toEqual([]);
});

test('SIGTERM ends every process, and the next start has the same data', async () => {
  const keys = [addresses.adminKey, addresses.frontendKey];
  expect(await running.stop('SIGTERM')).toBe(0);
  await nothingLeft();

  running = npmStart(folder.path, environment);
  addresses = await running.ready();

  expect([addresses.adminKey, addresses.frontendKey]).toEqual(keys);
  expect((await api().get('/api/v1/vaults')).status).toBe(200);
});
