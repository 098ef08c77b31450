import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../stack/until.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { eventClient } from './event-client.ts';

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

test('an event with an unknown name, or without what it needs, is acknowledged with an error and the connection goes on', async () => {
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
