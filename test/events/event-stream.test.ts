import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseApiKey } from '../../src/access/api-keys.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { until } from '../stack/until.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { commitEvents, numbersOf } from './record-events.ts';
import { eventStream } from './stream-client.ts';
import { errorResponse } from '../stack/error-response.ts';

const HOUR_MS = 3_600_000;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function newVault(): Promise<string> {
  const body = vaultBody(signingWallet().address);
  return (await service.api.post<{ vault_id: string }>('/vaults', body)).body.vault_id;
}

test('the same events come as server-sent events, also after the number in Last-Event-ID, and the stream says why it ends', async () => {
  const vaultId = await newVault();
  const wallet = await logIn(service, signingWallet());
  await commitEvents(service.db, 450, { vaultId });
  const all = await numbersOf(service, vaultId);
  const caller = { 'x-api-key': wallet.key, ...wallet.headers };
  const { url, stop } = await service.startAnother();
  using whole = await eventStream(`${url}/api/v1/events?vaultId=${vaultId}&after=0`, caller);
  using rest = await eventStream(`${service.url}/api/v1/events?vaultId=${vaultId}&after=0`, {
    ...caller,
    'last-event-id': String(all[300]),
  });
  await commitEvents(service.db, 5, { vaultId });
  const now = await numbersOf(service, vaultId);
  await until(() => whole.events.length >= now.length, { what: 'every event has come' });
  await until(() => rest.events.length >= now.length - 301, { what: 'the rest has come' });
  expect(whole.seqs()).toEqual(now);
  expect(rest.seqs()).toEqual(now.slice(301));
  expect(whole.events[0]).toMatchObject({ type: 'VAULT_CREATED', vaultId, data: { name: expect.any(String) } });

  await stop();
  await whole.ended;
  expect(whole.closed).toMatchObject([{ error: { code: 'SERVICE_STOPPING' } }]);
  expect(whole.headers['cache-control']).toBe('private, no-store, no-transform');
});

test('a stream is cut at once, not by a regular check, when its session or its key is revoked at another api', async () => {
  const vaultId = await newVault();
  const { url, stop } = await service.startAnother({}, { checkEveryMs: HOUR_MS });
  const [ended, revoked] = [await logIn(service, signingWallet()), await logIn(service, signingWallet())];
  const follow = ({ key, headers }: typeof ended) =>
    eventStream(`${url}/api/v1/events?vaultId=${vaultId}`, { 'x-api-key': key, ...headers });
  using ofSession = await follow(ended);
  using ofKey = await follow(revoked);

  const list = await service.api.get<{ data: { sessions: { id: string }[] } }>('/auth/sessions', ended);
  await service.api.del(`/auth/sessions/${list.body.data.sessions[0]!.id}`, undefined, ended);
  await ofSession.ended;
  expect(ofSession.closed).toMatchObject([{ error: { code: 'INVALID_SESSION' } }]);

  await commitEvents(service.db, 1, { vaultId });
  await until(() => ofKey.events.length > 0, { what: 'the other stream goes on' });
  expect(await service.api.del(`/api-keys/${parseApiKey(revoked.key)!.id}`)).toHaveProperty('status', 204);
  await ofKey.ended;
  expect(ofKey.closed).toMatchObject([{ error: { code: 'INVALID_API_KEY' } }]);
  await stop();
});

test('a reader for whom too much waits is cut with the reason, and gets all it missed when it comes back', async () => {
  const vaultId = await newVault();
  const url = `${service.url}/api/v1/events?vaultId=${vaultId}&after=0`;
  const caller = { 'x-api-key': service.adminKey };
  using slow = await eventStream(url, caller);
  await until(() => slow.events.length > 0, { what: 'the first event has come' });
  // In one transaction, so that they are sent at once: more than may wait for a reader, however fast it reads.
  await commitEvents(service.db, 20, { vaultId, data: { text: 'x'.repeat(200_000) } });
  await slow.ended;
  await commitEvents(service.db, 10, { vaultId });
  const all = await numbersOf(service, vaultId);
  expect(slow.closed).toMatchObject([{ error: { code: 'CONSUMER_TOO_SLOW' } }]);
  const seen = slow.seqs();
  expect(seen).toEqual(all.slice(0, seen.length));
  expect(seen.length).toBeLessThan(all.length);

  using back = await eventStream(url, { ...caller, 'last-event-id': slow.lastId()! });
  await until(() => seen.length + back.events.length >= all.length, { what: 'the rest has come' });
  expect([...seen, ...back.seqs()]).toEqual(all);
});

test('an event that cannot be read keeps no later one from its readers', async () => {
  const [damaged, vaultId] = [await newVault(), await newVault()];
  const [before] = await numbersOf(service, damaged);
  await numbersOf(service, vaultId);
  const caller = { 'x-api-key': service.adminKey };
  using live = await eventStream(`${service.url}/api/v1/events`, caller);
  await until(() => live.lastId() !== undefined, { what: 'the stream has begun' });

  // In one transaction with what damages them, so that they are damaged before they are read.
  await commitEvents(service.db, 1, { vaultId: damaged, type: 'VAULT_HELD', data: null! });
  await commitEvents(service.db, 1, { vaultId: damaged, wallets: { length: 1 } as never });
  await commitEvents(service.db, 2, { vaultId });
  const [, ...expected] = await numbersOf(service, vaultId);
  await until(() => live.events.length >= 2, { what: 'the others have come' });
  expect(live.seqs()).toEqual(expected);

  using replayed = await eventStream(`${service.url}/api/v1/events?after=${before! - 1}`, caller);
  await until(() => replayed.seqs().includes(expected[1]!), { what: 'the others are replayed' });
  const lost = (await numbersOf(service, damaged)).slice(1);
  expect(lost).toHaveLength(2);
  expect(replayed.seqs().filter((seq) => lost.includes(seq))).toEqual([]);
  const { body } = await service.api.get<{ data: { events: { seq: number }[]; next: number } }>(
    `/events?vaultId=${damaged}&after=0`,
  );
  expect(body.data.events.map(({ seq }) => seq)).toEqual([before]);
  expect(body.data.next).toBeGreaterThanOrEqual(lost[1]!);
});

test('a stream that was lost before its first event continues from the number that it began after', async () => {
  const vaultId = await newVault();
  const before = await numbersOf(service, vaultId);
  const url = `${service.url}/api/v1/events?vaultId=${vaultId}`;
  const caller = { 'x-api-key': service.adminKey };
  const lost = await eventStream(url, caller);
  await until(() => lost.lastId() !== undefined, { what: 'the stream has begun' });
  lost[Symbol.dispose]();
  expect(lost.events).toEqual([]);

  await commitEvents(service.db, 3, { vaultId });
  const missed = (await numbersOf(service, vaultId)).slice(before.length);
  using again = await eventStream(url, { ...caller, 'last-event-id': lost.lastId()! });
  await until(() => again.events.length >= 3, { what: 'the missed events have come' });
  expect(again.seqs()).toEqual(missed);
});

test.each([[undefined], ['*/*']])(
  'a reader that does not ask for a stream (Accept: %s) gets a response that ends',
  async (accept) => {
    const vaultId = await newVault();
    const numbers = await numbersOf(service, vaultId);
    const url = `${service.url}/api/v1/events?vaultId=${vaultId}&after=0`;
    const request = get(url, { headers: { 'x-api-key': service.adminKey, ...(accept && { accept }) }, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers['content-type']).toMatch('application/json');
    const { data } = JSON.parse(await text(response)) as { data: { events: { seq: number }[] } };
    expect(data.events.map(({ seq }) => seq)).toEqual(numbers);
  },
);

test.each([
  ['vaultId=00000000-0000-4000-8000-000000000000', 404, 'VAULT_NOT_FOUND'],
  ['after=x', 400, 'INVALID_REQUEST'],
  ['after=999999999999', 400, 'INVALID_REQUEST'],
  ['wallet=addr_test1nothing', 400, 'INVALID_ADDRESS'],
])('a stream with %s is refused with %i %s', async (query, status, code) => {
  using stream = await eventStream(`${service.url}/api/v1/events?${query}`, { 'x-api-key': service.adminKey });
  expect(stream).toMatchObject({ status, refusal: { error: { code } } });
});

test('who reads a quiet topic is moved on by the events of others, misses none, and is not refused when those are deleted', async () => {
  const [quiet, busy] = [await newVault(), await newVault()];
  const read = async (after: number) => {
    const { status, body } = await service.api.get<{ data: { events: { seq: number }[]; next: number } }>(
      `/events?vaultId=${quiet}&after=${after}`,
    );
    expect(status).toBe(200);
    return { seqs: body.data.events.map(({ seq }) => seq), next: body.data.next };
  };
  const own = await numbersOf(service, quiet);
  expect((await read(0)).seqs).toEqual(own);
  await commitEvents(service.db, 5, { vaultId: busy });
  const last = (await numbersOf(service, busy)).at(-1)!;
  const moved = await until(
    async () => {
      const found = await read(own.at(-1)!);
      return found.next >= last && found;
    },
    { what: 'the api has read the events of others' },
  );
  expect(moved).toEqual({ seqs: [], next: last });

  await commitEvents(service.db, 205, { vaultId: quiet });
  const added = (await numbersOf(service, quiet)).slice(own.length);
  const page = await read(moved.next);
  expect(page).toEqual({ seqs: added.slice(0, 200), next: added[199] });
  expect((await read(page.next)).seqs).toEqual(added.slice(200));

  await service.sql.run`delete from outbox where seq < ${last}`;
  expect((await read(moved.next)).seqs).toEqual(added.slice(0, 200));
  const refused = await service.api.get(`/events?vaultId=${quiet}&after=${own.at(-1)!}`);
  expect(refused).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));
});
