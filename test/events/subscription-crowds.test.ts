import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holdLocks } from '../stack/hold-locks.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { eventClient } from './event-client.ts';
import { commitEvents, numbersOf } from './record-events.ts';

/** Needed to begin after an earlier event, and by no other request here. */
const LOCK = 'lock table outbox in access exclusive mode';

let service: ApiService;
let vaultId: string;
beforeAll(async () => {
  service = await apiService({ TRUSTED_PROXIES: '1' });
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  vaultId = made.body.vault_id;
  await commitEvents(service.db, 3, { vaultId });
  await numbersOf(service, vaultId);
});
afterAll(() => service[Symbol.asyncDispose]());

async function connectedClient({ apiKey = service.adminKey, address = '192.0.2.1' } = {}) {
  const client = eventClient(service.url, { apiKey }, ['websocket'], { 'x-forwarded-for': address });
  expect(await client.connected()).toBeNull();
  return client;
}

test('a crowd that subscribes at once leaves the requests their connections to the database', async () => {
  const clients = await Promise.all(Array.from({ length: 30 }, () => connectedClient()));
  const asked = await holdLocks(service, LOCK, async (held) => {
    const replies = clients.map((client) => client.subscribe({ vaultId, after: 1 }));
    await held.reached();
    expect(await service.api.get('/vaults?limit=1')).toHaveProperty('status', 200);
    return { replies };
  });
  for (const { status } of await Promise.all(asked.replies)) expect(status).toBe('success');
  for (const client of clients) client[Symbol.dispose]();
});

test('a socket that asks for much at once does not keep the others waiting until it has everything', async () => {
  using greedy = await connectedClient();
  using modest = await connectedClient();
  let answered = 0;
  const { all, one } = await holdLocks(service, LOCK, async (held) => {
    const requests = Array.from({ length: 150 }, async () => {
      await greedy.subscribe({ vaultId, after: 1 });
      answered += 1;
    });
    await held.reached();
    return { all: Promise.all(requests), one: modest.subscribe({ vaultId, after: 1 }) };
  });
  expect(await one).toHaveProperty('status', 'success');
  expect(answered).toBeLessThan(150);
  await all;
});

test('clients of one IP address, with any ports, that subscribe at once leave room to whoever comes from another', async () => {
  const keys = ['one', 'two', 'three'].map(async (name) => {
    const made = await service.api.post<{ data: { key: string } }>('/api-keys', { name, roles: ['ADMIN'] });
    return made.body.data.key;
  });
  const crowd = await Promise.all(
    keys.map(async (key, n) => connectedClient({ apiKey: await key, address: `192.0.2.1:${4711 + n}` })),
  );
  using other = await connectedClient({ address: '192.0.2.2' });
  const { all } = await holdLocks(service, LOCK, async (held) => {
    const replies = crowd.map((client) => client.subscribe({ vaultId, after: 1 }));
    await held.reached();
    expect(await other.subscribe({ vaultId })).toHaveProperty('status', 'success');
    return { all: Promise.all(replies) };
  });
  for (const { status } of await all) expect(status).toBe('success');
  for (const client of crowd) client[Symbol.dispose]();
});
