import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { followEvents } from '../../client/src/index.ts';
import { formatApiKey } from '../../src/access/api-key-format.ts';
import {
  connectionsByProcess,
  connectToEach,
  type KeptConnection,
  killOne,
  type SeveralProcesses,
  startProcesses,
} from '../http/several-processes.ts';
import { apiClient } from '../stack/api-client.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { followBySocket, followByStream } from './follow-across.ts';
import { numbersOf } from './record-events.ts';

const apiKey = formatApiKey({
  environment: 'development',
  id: randomBytes(16).toString('hex'),
  secret: randomBytes(32),
});
const RATE_LIMIT = 1000;

let service: ApiService;
let running: SeveralProcesses;
let vaultId: string;
beforeAll(async () => {
  service = await apiService();
  const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  vaultId = body.vault_id;
  // Only the two processes may number events and deliver them.
  await service.stopApi();
  const { variables } = service;
  running = await startProcesses({ ...variables, LOG_LEVEL: 'info', BOOTSTRAP_ADMIN_KEY: apiKey });
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** Changes the vault several times at each of these connections; each change has one event. */
async function changeAt(connections: readonly KeptConnection[]): Promise<void> {
  for (let round = 0; round < 4; round += 1)
    for (const connection of connections) {
      const change = { investorAllowList: { enabled: round % 2 === 0 } };
      expect(await connection.send('PATCH', `/api/v1/vaults/${vaultId}`, apiKey, change)).toBe(200);
    }
}

/** Before the followers come back, after a process was killed. */
let comingBack: Promise<unknown> = Promise.resolve();

/** Kills a process; its followers miss what happens at the other one before they come back, and then the vault is changed at both. */
async function killAndChange(pid: number): Promise<void> {
  const connections = await connectToEach(running, 1);
  const missed = Promise.withResolvers<null>();
  comingBack = missed.promise;
  const killing = killOne(running, pid);
  await changeAt(connections.filter((one) => one.pid !== pid));
  missed.resolve(null);
  await killing;
  for (const connection of connections) connection[Symbol.dispose]();
  await changeAtEach();
}

async function changeAtEach(): Promise<void> {
  const connections = await connectToEach(running, 1);
  await changeAt(connections);
  for (const connection of connections) connection[Symbol.dispose]();
}

/** Follows the vault as a frontend does, from the first event on. */
function followByClient() {
  const stopping = new AbortController();
  const seen: number[] = [];
  let reconnected = 0;
  const options = { after: 0, signal: stopping.signal, onReconnect: () => (reconnected += 1) };
  const run = async () => {
    for await (const { seq } of followEvents({ baseUrl: running.url, apiKey }, { vaultId }, options)) seen.push(seq);
  };
  const ended = run();
  return {
    seqs: () => seen,
    begun: () => 1 + reconnected,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

test('followers of two processes of one port get each change that either has taken once, in order, while each is killed in turn', async () => {
  const url = [running.url];
  const mayConnect = () => comingBack;
  const bySocket = [followBySocket(url, apiKey, mayConnect), followBySocket(url, apiKey, mayConnect)];
  const ofVault = [
    followByStream(url, apiKey, vaultId, mayConnect),
    followByStream(url, apiKey, vaultId, mayConnect),
    followByClient(),
  ];
  const followers = [...bySocket, ...ofVault];
  const untilAllHave = async () => {
    const numbers = await numbersOf(service, vaultId);
    await until(() => ofVault.every((one) => one.seqs().length >= numbers.length), {
      what: 'the streams to have all',
      deadlineMs: 60_000,
    });
    await until(() => bySocket.every((one) => one.seqs().at(-1) === numbers.at(-1)), {
      what: 'the sockets to have all',
    });
  };
  await untilAllHave();
  const killed = await running.processes();
  const followed = await connectionsByProcess(running);
  expect(killed.map((pid) => followed[pid]! > 0)).toEqual([true, true]);

  await changeAtEach();
  await untilAllHave();
  for (const pid of killed) {
    await killAndChange(pid);
    await untilAllHave();
  }
  await Promise.all(followers.map((follower) => follower.stop()));

  const numbers = await numbersOf(service, vaultId);
  expect(numbers.length).toBeGreaterThan(32);
  for (const follower of ofVault) expect(follower.seqs()).toEqual(numbers);
  for (const follower of bySocket) expect(follower.seqs()).toEqual(follower.seqs().map((_, position) => position + 1));
  // Whoever was not at the first process was at the second when that was killed.
  expect(followers.filter((follower) => follower.begun() < 2)).toEqual([]);
});

test('the limit of a key is kept over two processes of one port to 1 %, and never exceeded', async () => {
  const admin = apiClient(() => `${running.url}/api/v1`, apiKey);
  const created = await admin.post<{ data: { key: string } }>('/api-keys', {
    name: 'limited',
    roles: ['ADMIN'],
    rateLimit: RATE_LIMIT,
  });
  const { key } = created.body.data;
  const connections = await connectToEach(running, 8);
  const answers = await Promise.all(
    connections.map(async (connection) => {
      const statuses: number[] = [];
      for (let sent = 0; sent < (1.5 * RATE_LIMIT) / connections.length; sent += 1)
        statuses.push(await connection.send('GET', `/api/v1/vaults/${vaultId}`, key));
      return statuses.map((status) => ({ pid: connection.pid, status }));
    }),
  );
  for (const connection of connections) connection[Symbol.dispose]();

  const all = answers.flat();
  const admitted = all.filter(({ status }) => status === 200);
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(admitted.length).toBeLessThanOrEqual(RATE_LIMIT);
  expect(admitted.length).toBeGreaterThanOrEqual(0.99 * RATE_LIMIT);
  for (const pid of await running.processes())
    expect(admitted.filter((one) => one.pid === pid).length).toBeGreaterThan(0.2 * RATE_LIMIT);
});
