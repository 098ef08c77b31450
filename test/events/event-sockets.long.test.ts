import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseApiKey } from '../../src/access/api-keys.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiClient } from '../stack/api-client.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { eventClient } from './event-client.ts';
import { commitEvents, numbersOf } from './record-events.ts';

const HOUR_MS = 3_600_000;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const refusal = (code: string, field?: string) => ({
  status: 'error',
  error: { code, ...(field !== undefined && { details: { errors: [{ field }] } }) },
});

async function newVault(admin = signingWallet().address, privacy = 'public'): Promise<string> {
  const body = { ...vaultBody(admin), vault_type: privacy, privacy_type: privacy };
  return (await service.api.post<{ vault_id: string }>('/vaults', body)).body.vault_id;
}

const admin = () => ({ apiKey: service.adminKey });
const tokenOf = ({ headers }: Awaited<ReturnType<typeof logIn>>) => headers.authorization.replace('Bearer ', '');

test('clients that join in the middle of many changes get each event of their vault once, in order, and no other', async () => {
  const [vaultId, otherId] = [await newVault(), await newVault()];
  await commitEvents(service.db, 40, { vaultId });
  await numbersOf(service, vaultId);
  const writing = Array.from({ length: 4 }, async (_, writer) => {
    for (let round = 0; round < 25; round += 1) {
      await commitEvents(service.db, 1 + ((writer + round) % 3), { vaultId });
      await commitEvents(service.db, 1, { vaultId: otherId });
    }
  });
  const clients = Array.from({ length: 6 }, () => eventClient(service.url, admin()));
  try {
    expect(await Promise.all(clients.map((client) => client.connected()))).toEqual(clients.map(() => null));
    const starts: number[] = [];
    for (const [index, client] of clients.entries()) {
      const after = index * 7;
      expect(await client.subscribe({ vaultId, after })).toMatchObject({ status: 'success', data: { after } });
      starts.push(after);
    }
    await Promise.all(writing);
    const all = await numbersOf(service, vaultId);
    for (const [index, client] of clients.entries()) {
      const expected = all.filter((seq) => seq > starts[index]!);
      await until(() => client.received.length >= expected.length, { what: 'the client has every event' });
      expect(client.seqs()).toEqual(expected);
    }
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
});

test('a client that goes from one api to another one misses nothing and gets nothing twice, whichever stops', async () => {
  const vaultId = await newVault();
  const [first, second] = [await service.startAnother(), await service.startAnother()];
  const seen: number[] = [];
  const follow = async (url: string) => {
    const client = eventClient(url, admin());
    expect(await client.connected()).toBeNull();
    expect(await client.subscribe({ vaultId, after: seen.at(-1) ?? 0 })).toHaveProperty('status', 'success');
    return client;
  };
  const stopping = new AbortController();
  const writing = (async () => {
    while (!stopping.signal.aborted) await commitEvents(service.db, 3, { vaultId });
  })();
  for (const { url, stop } of [first, second]) {
    const client = await follow(url);
    await until(() => client.received.length > 20, { what: 'events have come' });
    await stop();
    await client.disconnected();
    expect(client.ended).toEqual([{ name: 'closed', code: 'SERVICE_STOPPING' }]);
    seen.push(...client.seqs());
  }
  stopping.abort();
  await writing;
  const all = await numbersOf(service, vaultId);
  using last = await follow(service.url);
  await until(() => seen.length + last.received.length >= all.length, { what: 'the rest has come' });
  expect([...seen, ...last.seqs()]).toEqual(all);
});

test('a client of a quiet topic learns up to which number it misses nothing, after all that it had missed', async () => {
  const [vaultId, otherId] = [await newVault(), await newVault()];
  await commitEvents(service.db, 250, { vaultId });
  const last = (await numbersOf(service, vaultId)).at(-1)!;
  await commitEvents(service.db, 3, { vaultId: otherId });
  const newest = (await numbersOf(service, otherId)).at(-1)!;
  using client = eventClient(service.url, admin());
  await client.connected();
  const order: string[] = [];
  client.socket.onAny((name: string) => order.push(name));
  await client.subscribe({ vaultId, after: last - 240 });
  const [position] = await until(() => client.positions.length > 0 && client.positions, { what: 'the position' });
  expect(position).toEqual({ subscription: `vault:${vaultId}`, after: expect.any(Number) });
  expect(position!.after).toBeGreaterThanOrEqual(newest);
  expect(client.seqs().at(-1)).toBe(last);
  expect(order.filter((name, index) => name !== order[index - 1])).toEqual(['events', 'position']);
});

test('a session or a key that is revoked is cut at once, not by a regular check, and no other', async () => {
  const { url, stop } = await service.startAnother({}, { checkEveryMs: HOUR_MS });
  const wallet = signingWallet();
  const vaultId = await newVault();
  const [mine, other] = [await logIn(service, wallet), await logIn(service, signingWallet())];
  using cut = eventClient(url, { apiKey: mine.key, token: tokenOf(mine) });
  using kept = eventClient(url, { apiKey: other.key, token: tokenOf(other) });
  await Promise.all([cut.connected(), kept.connected()]);
  await Promise.all([cut.subscribe({ vaultId }), kept.subscribe({ vaultId })]);

  const list = await service.api.get<{ data: { sessions: { id: string }[] } }>('/auth/sessions', mine);
  expect(await service.api.del(`/auth/sessions/${list.body.data.sessions[0]!.id}`, undefined, mine)).toHaveProperty(
    'status',
    204,
  );
  await cut.disconnected();
  expect(cut.ended).toEqual([{ name: 'closed', code: 'INVALID_SESSION' }]);

  await commitEvents(service.db, 1, { vaultId });
  await until(() => kept.received.length > 0, { what: 'the other session gets the event' });
  expect(await service.api.del(`/api-keys/${parseApiKey(other.key)!.id}`)).toHaveProperty('status', 204);
  await kept.disconnected();
  expect(kept.ended).toEqual([{ name: 'closed', code: 'INVALID_API_KEY' }]);
  await stop();
});

test('events of a private vault reach those only who may read it, and no longer than they may', async () => {
  const [owner, stranger] = [signingWallet(), signingWallet()];
  const vaultId = await newVault(owner.address, 'private');
  const [asOwner, asStranger] = [await logIn(service, owner), await logIn(service, stranger)];
  using hidden = eventClient(service.url, { apiKey: asStranger.key, token: tokenOf(asStranger) });
  await hidden.connected();
  expect(await hidden.subscribe({ vaultId })).toMatchObject(refusal('VAULT_NOT_FOUND'));
  expect(await hidden.subscribe({ wallet: owner.address })).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
  expect(await hidden.subscribe({})).toMatchObject(refusal('INVALID_REQUEST', 'vaultId'));

  await service.sql.run`update vaults set contributor_whitelist = array[${stranger.address}] where id = ${vaultId}`;
  expect(await hidden.subscribe({ vaultId })).toHaveProperty('status', 'success');
  await service.sql.run`update vaults set contributor_whitelist = array[${owner.address}] where id = ${vaultId}`;
  await commitEvents(service.db, 1, { vaultId, type: 'VAULT_ALLOW_LIST_CHANGED', actor: owner.address });
  await until(() => hidden.ended.length > 0, { what: 'the subscription has ended' });
  expect(hidden.ended).toEqual([{ name: 'unsubscribed', code: 'VAULT_NOT_FOUND' }]);
  const before = hidden.received.length;

  using owned = eventClient(service.url, { apiKey: asOwner.key, token: tokenOf(asOwner) });
  await owned.connected();
  await owned.subscribe({ wallet: owner.address, after: 0 });
  await commitEvents(service.db, 2, { vaultId });
  await commitEvents(service.db, 1, { vaultId, wallets: [owner.address] });
  const theirs = ['VAULT_CREATED', 'VAULT_ALLOW_LIST_CHANGED', 'VAULT_HELD'];
  await until(() => owned.received.length >= 3, { what: 'the owner has what it did and what concerns it' });
  expect(owned.received.map(({ event }) => event.type)).toEqual(theirs);
  expect(hidden.received).toHaveLength(before);
});

test('roles that are taken from a wallet end at once what it follows by them, and nothing else of its socket', async () => {
  const { url, stop } = await service.startAnother({}, { checkEveryMs: HOUR_MS });
  const [wallet, other] = [signingWallet(), signingWallet()];
  const [publicId, privateId] = [await newVault(), await newVault(other.address, 'private')];
  const roles = `/wallets/${wallet.address}/roles`;
  expect(await service.api.put(roles, { roles: ['ADMIN'] })).toHaveProperty('status', 200);
  const session = await logIn(service, wallet);
  using client = eventClient(url, { apiKey: session.key, token: tokenOf(session) });
  using beside = eventClient(url, admin());
  await Promise.all([client.connected(), beside.connected()]);
  const [lost, kept] = [
    [{}, { wallet: other.address }, { vaultId: privateId }],
    [{ wallet: wallet.address }, { vaultId: publicId }],
  ];
  for (const request of [...lost, ...kept]) expect(await client.subscribe(request)).toHaveProperty('status', 'success');
  await beside.subscribe({ vaultId: privateId });
  const reasons: unknown[] = [];
  client.socket.on('unsubscribed', (end) => reasons.push(end));

  expect(await service.api.put(roles, { roles: [] })).toHaveProperty('status', 200);
  await until(() => reasons.length === lost.length, { what: 'the subscriptions have ended' });
  const ended = (subscription: string, code: string) => ({ subscription, reason: expect.objectContaining({ code }) });
  expect(reasons).toHaveLength(lost.length);
  expect(reasons).toEqual(
    expect.arrayContaining([
      ended('all', 'INVALID_REQUEST'),
      ended(`wallet:${other.address}`, 'INSUFFICIENT_PERMISSIONS'),
      ended(`vault:${privateId}`, 'VAULT_NOT_FOUND'),
    ]),
  );

  const before = client.received.length;
  await commitEvents(service.db, 1, { vaultId: privateId, actor: other.address });
  await commitEvents(service.db, 1, { vaultId: publicId, actor: wallet.address });
  await until(() => client.received.length >= before + kept.length, { what: 'what it may follow goes on' });
  const latest = (await numbersOf(service, privateId)).at(-1);
  await until(() => beside.seqs().includes(latest!), { what: 'the other socket goes on' });
  const later = client.received.slice(before).map(({ subscription }) => subscription);
  expect(later.toSorted()).toEqual([`vault:${publicId}`, `wallet:${wallet.address}`]);
  await stop();
});

test.each([
  [{}, 'API_KEY_REQUIRED'],
  [
    { apiKey: 'vts_test_0123456789abcdef0123456789abcdef_0123456789012345678901234567890123456789012' },
    'INVALID_API_KEY',
  ],
  [{ apiKey: 'x\ny' }, 'INVALID_REQUEST'],
  [{ apiKey: { $ne: '' } as unknown as string }, 'INVALID_REQUEST'],
])('a handshake with %j is refused with %s', async (auth, code) => {
  using client = eventClient(service.url, auth);
  expect(await client.connected()).toBe(code);
});

test.each([
  [null, 'INVALID_REQUEST', 'body'],
  [{ vaultId: 'x' }, 'INVALID_REQUEST', 'vaultId'],
  [{ vaultId: '00000000-0000-4000-8000-000000000000' }, 'VAULT_NOT_FOUND', undefined],
  [{ proposalId: '00000000-0000-4000-8000-000000000000' }, 'PROPOSAL_NOT_FOUND', undefined],
  [{ after: -1 }, 'INVALID_REQUEST', 'after'],
  [{ after: 2 ** 40 }, 'INVALID_REQUEST', 'after'],
  [{ after: '1' }, 'INVALID_REQUEST', 'after'],
  [{ wallet: 'addr_test1nothing' }, 'INVALID_ADDRESS', 'wallet'],
  [{ more: true }, 'INVALID_REQUEST', 'more'],
])('subscribe %j is refused with %s, and the socket continues', async (request, code, field) => {
  using client = eventClient(service.url, admin());
  await client.connected();
  expect(await client.subscribe(request)).toMatchObject(refusal(code, field));
  expect(await client.subscribe({})).toMatchObject({ status: 'success', data: { subscription: 'all' } });
});

test('a client that begins with polling is told to use websocket', async () => {
  const response = await apiClient(() => service.url, null).get('/socket.io/?EIO=4&transport=polling');
  expect(response).toMatchObject({ status: 400, body: refusal('INVALID_REQUEST', 'transport') });
  using client = eventClient(service.url, admin(), ['polling', 'websocket']);
  expect(await client.connected()).toBe('xhr poll error');
});

test.each(['h2c', 'websocket'])('a request that offers %s elsewhere is answered as if it did not', async (protocol) => {
  const headers = { connection: 'Upgrade', upgrade: protocol, 'x-api-key': service.adminKey };
  const sent = request(`${service.url}/api/v1/auth/nonces`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify({ address: newWallet().address }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect({ status: response.statusCode, body: await json(response) }).toMatchObject({
    status: 201,
    body: { data: { nonce: expect.any(String) } },
  });
});

test('a client that stops reading is cut with the reason, and gets all it missed when it comes back', async () => {
  const vaultId = await newVault();
  using frozen = eventClient(service.url, admin());
  await frozen.connected();
  await frozen.subscribe({ vaultId, after: 0 });
  await until(() => frozen.received.length > 0, { what: 'the first event has come' });
  const { ws } = frozen.socket.io.engine.transport as unknown as { ws: { _socket: Socket } };
  ws._socket.pause();
  const data = { text: 'x'.repeat(2_000) };
  for (let round = 0; round < 12; round += 1) await commitEvents(service.db, 1_000, { vaultId, data });
  const all = await numbersOf(service, vaultId);
  ws._socket.resume();
  await frozen.disconnected();
  expect(frozen.ended).toEqual([{ name: 'closed', code: 'CONSUMER_TOO_SLOW' }]);
  const seen = frozen.seqs();
  expect(seen).toEqual(all.slice(0, seen.length));
  expect(seen.length).toBeLessThan(all.length);

  using back = eventClient(service.url, admin());
  await back.connected();
  await back.subscribe({ vaultId, after: seen.at(-1) });
  await until(() => seen.length + back.received.length >= all.length, { what: 'the rest has come' });
  expect([...seen, ...back.seqs()]).toEqual(all);
});
