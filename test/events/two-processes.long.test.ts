import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { followEvents } from '../../client/src/index.ts';
import { formatApiKey } from '../../src/access/api-keys.ts';
import { type ApiProcess, startApiProcess } from '../http/api-process.ts';
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
let [one, two]: ApiProcess[] = [];
let vaultId: string;
const start = (port = '0') =>
  startApiProcess({ ...service.variables, LOG_LEVEL: 'info', BOOTSTRAP_ADMIN_KEY: apiKey, PORT: port });
beforeAll(async () => {
  service = await apiService();
  const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  vaultId = body.vault_id;
  // Only the two processes may number events and deliver them.
  await service.stopApi();
  one = await start();
  two = await start();
});
afterAll(async () => {
  await one?.kill();
  await two?.kill();
  await service[Symbol.asyncDispose]();
});

/** Changes the vault several times at an api; each change has one event. */
async function changeAt({ url }: ApiProcess): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    const change = { investorAllowList: { enabled: round % 2 === 0 } };
    const { status } = await apiClient(() => `${url}/api/v1`, apiKey).patch(`/vaults/${vaultId}`, change);
    expect(status).toBe(200);
  }
}

/** Before the followers come back, after a process was killed. */
let comingBack: Promise<unknown> = Promise.resolve();

/** Kills an api; its followers miss what happens at the other one before they come back. Returns the api that runs in its place. */
async function killAndChange(killed: ApiProcess, other: ApiProcess): Promise<ApiProcess> {
  const missed = Promise.withResolvers<null>();
  comingBack = missed.promise;
  await killed.kill();
  await changeAt(other);
  missed.resolve(null);
  const again = await start(new URL(killed.url).port);
  await changeAt(again);
  return again;
}

/** Follows the vault as a frontend does, from the first event on. */
function followByClient() {
  const stopping = new AbortController();
  const seen: number[] = [];
  let reconnected = 0;
  const options = { after: 0, signal: stopping.signal, onReconnect: () => (reconnected += 1) };
  const run = async () => {
    for await (const { seq } of followEvents({ baseUrl: one!.url, apiKey }, { vaultId }, options)) seen.push(seq);
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

test('followers of two apis get each change that either has taken once, in order, while each is killed in turn', async () => {
  const urls = [one!.url, two!.url];
  const mayConnect = () => comingBack;
  const bySocket = [followBySocket(urls, apiKey, mayConnect), followBySocket(urls.toReversed(), apiKey, mayConnect)];
  const ofVault = [
    followByStream(urls, apiKey, vaultId, mayConnect),
    followByStream(urls.toReversed(), apiKey, vaultId, mayConnect),
    followByClient(),
  ];
  const followers = [...bySocket, ...ofVault];
  const untilAllHave = async () => {
    const numbers = await numbersOf(service, vaultId);
    await until(() => ofVault.every((follower) => follower.seqs().length >= numbers.length), {
      what: 'the streams to have all',
      deadlineMs: 60_000,
    });
    await until(() => bySocket.every((follower) => follower.seqs().at(-1) === numbers.at(-1)), {
      what: 'the sockets to have all',
    });
  };
  await untilAllHave();

  await changeAt(one!);
  await changeAt(two!);
  await untilAllHave();
  one = await killAndChange(one!, two!);
  await untilAllHave();
  two = await killAndChange(two!, one);
  await untilAllHave();
  await Promise.all(followers.map((follower) => follower.stop()));

  const numbers = await numbersOf(service, vaultId);
  expect(numbers.length).toBeGreaterThan(24);
  for (const follower of ofVault) expect(follower.seqs()).toEqual(numbers);
  for (const follower of bySocket) expect(follower.seqs()).toEqual(follower.seqs().map((_, position) => position + 1));
  // Whoever was not at the first process was at the second when that was killed.
  expect(followers.filter((follower) => follower.begun() < 2)).toEqual([]);
});

test('the limit of a key is kept over two apis', async () => {
  const admin = apiClient(() => `${one!.url}/api/v1`, apiKey);
  const created = await admin.post<{ data: { key: string } }>('/api-keys', {
    name: 'limited',
    roles: ['ADMIN'],
    rateLimit: RATE_LIMIT,
  });
  const { key } = created.body.data;
  const answers = await Promise.all(
    [one!, two!].flatMap((api) =>
      Array.from({ length: 4 }, async () => {
        const statuses: number[] = [];
        const client = apiClient(() => `${api.url}/api/v1`, key);
        for (let sent = 0; sent < (1.5 * RATE_LIMIT) / 8; sent += 1)
          statuses.push((await client.get(`/vaults/${vaultId}`)).status);
        return statuses;
      }),
    ),
  );
  const all = answers.flat();
  expect(new Set(all)).toEqual(new Set([200, 429]));
  expect(all.filter((status) => status === 200)).toHaveLength(RATE_LIMIT);
});
