import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { eventClient } from './event-client.ts';
import { commitEvents, numbersOf } from './record-events.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

/** Close code of WebSocket (RFC 6455). */
const MESSAGE_TOO_BIG = 1009;
/** Before each message of socket.io its type in engine.io, one character. */
const ENGINE_TYPE = 1;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const admin = () => ({ apiKey: service.adminKey });

test('a connection ends when its socket leaves, so that nobody keeps more connections than are counted', async () => {
  const client = eventClient(service.url, admin());
  expect(await client.connected()).toBeNull();
  // As the client's own `disconnect` says it, which would also end the connection from its side.
  client.socket.io.engine.send('1/events,');
  await client.disconnected();
});

test('a connection that asks to be let in again and again without waiting is cut, and is answered once at most', async () => {
  const manager = eventClient(service.url, {}).socket.io;
  const answers: string[] = [];
  manager.once('open', () => {
    manager.engine.on('data', (data: unknown) => void answers.push(String(data)));
    for (let times = 0; times < 50; times += 1) manager.engine.send('0/events,{}');
  });
  await new Promise((resolve) => void manager.once('close', resolve));
  expect(answers.filter((answer) => answer.startsWith('4/events')).length).toBeLessThan(2);
});

test('an event with an unknown name, or without what it needs, is acknowledged with an error and the connection continues', async () => {
  using client = eventClient(service.url, admin());
  expect(await client.connected()).toBeNull();
  const ask = (name: string, ...parts: unknown[]): Promise<unknown> =>
    client.socket.timeout(20_000).emitWithAck(name, ...parts);
  const refusedAt = (field: string) => ({
    status: 'error',
    error: { code: 'INVALID_REQUEST', details: { errors: [expect.objectContaining({ field })] } },
  });
  for (const name of ['subscribed', 'constructor', 'error', 'events'])
    expect(await ask(name, { vaultId: 'x' }, 'more')).toMatchObject(refusedAt('event'));
  expect(await ask('subscribed')).toMatchObject(refusedAt('event'));
  // A name need not be a text, and nobody has to want an answer.
  client.socket.io.engine.send('2/events,7[5]');
  client.socket.emit('subscribed', {});
  expect(await ask('subscribe')).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
  expect(await client.subscribe({})).toMatchObject({ status: 'success' });
  for (let asked = 8; asked < 200; asked += 1) await ask('subscribed');
  expect(await ask('subscribed')).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
  expect(client.ended).toEqual([]);
});

test('a client that asks and does not read the answers is cut, before they fill the memory', async () => {
  using client = eventClient(service.url, admin());
  expect(await client.connected()).toBeNull();
  const { engine } = client.socket.io;
  const { ws } = engine.transport as unknown as { ws: { _socket: Socket; bufferedAmount: number } };
  ws._socket.pause();
  // More than the buffers of the operating system take.
  for (let request = 0; request < 100_000; request += 1) engine.send(`2/events,${request}["unsubscribe",{}]`);
  const isSent = () => ws.bufferedAmount === 0 && engine.writeBuffer.length === 0;
  await until(isSent, { what: 'the service has read all requests', deadlineMs: 60_000 });
  ws._socket.resume();
  await client.disconnected();
  expect(client.ended).toEqual([{ name: 'closed', code: 'CONSUMER_TOO_SLOW' }]);
});

test('a message that is too long cuts its own socket alone, with a code that its client reads, and the client continues from where it was', async () => {
  const vaultId = await createVault(service, newWallet().address);
  await numbersOf(service, vaultId);
  using other = eventClient(service.url, admin());
  const client = eventClient(service.url, admin());
  expect(await Promise.all([other.connected(), client.connected()])).toEqual([null, null]);
  await Promise.all([other.subscribe({ vaultId, after: 0 }), client.subscribe({ vaultId, after: 0 })]);
  await until(() => client.received.length > 0, { what: 'the first event has come' });
  const codes: unknown[] = [];
  client.socket.once('disconnect', (_reason, details) => {
    codes.push(details instanceof Error ? details : (details?.context as { code: number }).code);
  });
  // The longest that is answered, and one byte more.
  const frame = (bytes: number) => {
    const [before, after] = ['2/events,7["unsubscribe",{"subscription":"', '"}]'];
    return `${before}${'x'.repeat(bytes - before.length - after.length - ENGINE_TYPE)}${after}`;
  };
  client.socket.io.engine.send(frame(16_384));
  expect(await client.subscribe({ vaultId: 'x' })).toHaveProperty('status', 'error');
  client.socket.io.engine.send(frame(16_385));
  await client.disconnected();
  expect(codes).toEqual([MESSAGE_TOO_BIG]);

  await commitEvents(service.db, 3, { vaultId });
  const all = await numbersOf(service, vaultId);
  await until(() => other.received.length === all.length, { what: 'the other socket has every event' });
  const seen = client.seqs();
  client.socket.connect();
  await until(() => client.socket.connected, { what: 'the client is back' });
  await client.subscribe({ vaultId, after: seen.at(-1) });
  await until(() => client.received.length >= all.length, { what: 'the client has the rest' });
  expect({ client: client.seqs(), other: other.seqs() }).toEqual({ client: all, other: all });
  client[Symbol.dispose]();
});

test('connections without a key leave room for others: an address has so many of them', async () => {
  const url = `${service.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
  const outcome = (socket: WebSocket) =>
    new Promise<'open' | 'refused'>((resolve) => {
      socket.addEventListener('open', () => {
        resolve('open');
      });
      socket.addEventListener('error', () => {
        resolve('refused');
      });
    });
  using earlier = eventClient(service.url, admin());
  expect(await earlier.connected()).toBeNull();
  const silent = Array.from({ length: 520 }, () => new WebSocket(url));
  const outcomes = await Promise.all(silent.map(outcome));
  expect(outcomes.filter((each) => each === 'open')).toHaveLength(500);
  expect(earlier.socket.connected).toBe(true);
  for (const socket of silent) socket.close();
  using later = await until(
    async () => {
      const one = eventClient(service.url, admin());
      return (await one.connected()) === null && one;
    },
    { what: 'connections that have gone are counted no more' },
  );
  expect(later.socket.connected).toBe(true);
});

test('a socket has at most 100 subscriptions, and a client at most 100 connections', async () => {
  using client = eventClient(service.url, admin());
  await client.connected();
  const wallets = Array.from({ length: 101 }, () => newWallet().address);
  const replies = [];
  for (const wallet of wallets) replies.push(await client.subscribe({ wallet }));
  expect(replies.slice(0, 100).every(({ status }) => status === 'success')).toBe(true);
  expect(replies[100]).toMatchObject({ error: { code: 'TOO_MANY_SUBSCRIPTIONS' } });
  expect(await client.unsubscribe({ subscription: `wallet:${wallets[0]!}` })).toMatchObject({ data: { ended: true } });
  expect(await client.subscribe({ wallet: wallets[100] })).toHaveProperty('status', 'success');
  const more = [];
  for (let request = 0; request < 100; request += 1) more.push(await client.unsubscribe({ subscription: 'none' }));
  expect(more.at(-1)).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });

  const { key } = await logIn(service, signingWallet());
  const clients = Array.from({ length: 101 }, () => eventClient(service.url, { apiKey: key }));
  try {
    const codes = await Promise.all(clients.map((one) => one.connected()));
    expect(codes.filter((code) => code !== null)).toEqual(['TOO_MANY_CONNECTIONS']);
  } finally {
    for (const one of clients) one[Symbol.dispose]();
  }
  using later = await until(
    async () => {
      const one = eventClient(service.url, { apiKey: key });
      return (await one.connected()) === null && one;
    },
    { what: 'closed connections are counted no more' },
  );
  expect(later.socket.connected).toBe(true);
});
