import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { clientAddresses } from '../../src/platform/http/client-address.ts';
import { specRateLimits } from '../../src/platform/http/rate-limiter.ts';
import { startServer } from '../../src/platform/http/server.ts';
import { until } from '../stack/until.ts';
import { notesService } from './notes-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

let database: TestDatabase;
let service: Awaited<ReturnType<typeof notesService>>;
let key: string;
beforeAll(async () => {
  database = await testDatabase();
  service = await notesService({ databaseUrl: database.url });
  key = await service.key(['ADMIN']);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const NOTE = '/api/v1/notes/01890a5d-ac96-774b-bcce-b302099a8057';

/** Sends any method, which fetch does not. */
async function send(method: string, path: string) {
  const sent = request(service.url + path, { method, headers: { 'x-api-key': key } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, allow: response.headers.allow, body: await text(response) };
}

test.each([
  ['PUT', '/api/v1/notes', 'POST, OPTIONS'],
  ['POST', NOTE, 'GET, HEAD, DELETE, OPTIONS'],
  ['DELETE', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ['TRACE', NOTE, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ['PROPFIND', '/nowhere', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
])('%s %s is answered with 405 and the methods that there are', async (method, path, allow) => {
  const answer = await send(method, path);
  expect([answer.status, answer.allow]).toEqual([405, allow]);
  expect(JSON.parse(answer.body)).toMatchObject({
    error: { code: 'METHOD_NOT_ALLOWED', details: { allowed: allow.split(', ') } },
  });
});

/** Sends what no client library sends; returns the whole response. */
async function sendRaw(...packets: string[]): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  for (const packet of packets) socket.write(packet);
  return text(socket);
}

test.each([
  ['no HTTP', 'what is this\r\n\r\n', '400'],
  ['a method that HTTP does not know', `FOO ${NOTE} HTTP/1.1\r\nHost: x\r\n\r\n`, '400'],
  ['a method without end', `${'A'.repeat(100)} / HTTP/1.1\r\nHost: x\r\n\r\n`, '400'],
  ['a header that is none', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', '400'],
  ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, '431'],
])('%s gets a bare response, and the connection ends', async (_what, sent, status) => {
  expect(await sendRaw(sent)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\w ]+\\r\\nConnection: close\\r\\n\\r\\n$`));
});

test('CONNECT ends the connection, and other requests are answered', async () => {
  expect(await sendRaw('CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('');
  expect((await service.call('GET', NOTE, { key })).status).toBe(404);
});

test('an unknown method behind a request that runs ends the connection without a second response', async () => {
  const responses = await sendRaw(`GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\nFOO / HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(responses.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1);
});

test.each([
  ['in its headers', 'GET /a HTTP/1.1\r\nHost: x\r\n'],
  ['in its body', 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab'],
])('a client that stops %s is cut off', async (_where, sent) => {
  const server = await startServer(() => undefined, { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 1 });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(sent);
  expect(await text(socket)).toContain('408');
  await server.close();
});

test('a client that stops to read is cut off, one whose response takes its time is not', async () => {
  const large = Buffer.alloc(64 * 1024 * 1024);
  const server = await startServer(
    ({ url }, response) => {
      if (url === '/large') response.end(large);
      else setTimeout(() => response.end('at last'), 3000);
    },
    { host: '127.0.0.1', port: 0, unreadSeconds: 1 },
  );
  const ask = (path: string) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return socket;
  };
  const [deaf, patient] = [ask('/large'), ask('/late')];
  deaf.pause();
  const closed = new Promise((resolve) => deaf.on('error', () => undefined).on('close', resolve));
  expect(await text(patient)).toContain('at last');
  deaf.resume();
  await closed;
  expect(deaf.bytesRead).toBeLessThan(large.length);
  await server.close();
});

test('an expectation that the service does not know is passed over', async () => {
  const headers = { 'x-api-key': key, expect: 'the-moon' };
  const sent = request(service.url + NOTE, { headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect([response.statusCode, await text(response)]).toEqual([404, expect.stringContaining('"ASSET_NOT_FOUND"')]);
});

test('an address that cannot be read gets an error of the service', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write('GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 404 [^]*"code":"ROUTE_NOT_FOUND"/);
});

test('addresses of one IPv6 network (/56) share a limit', async () => {
  const app = { limits: { ...specRateLimits, perCaller: 3 }, addressOf: clientAddresses(1) };
  await using limited = await notesService({ databaseUrl: database.url, app });
  const from = async (ip: string) => (await limited.call('GET', NOTE, { headers: { 'x-forwarded-for': ip } })).status;
  const sameNetwork = ['2001:db8:1:100::1', '2001:db8:1:1ff::1', '2001:db8:1:100:2::3', '2001:db8:1:123::9'];
  const statuses: number[] = [];
  for (const ip of sameNetwork) statuses.push(await from(ip));
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect(await from('2001:db8:1:200::1')).toBe(401);
});

test.each([
  ['a port', '192.0.2.1', (n: number) => `192.0.2.1:${n}`],
  ['brackets and a port', '2001:db8::1', (n: number) => `[2001:db8::1]:${n}`],
  ['an IPv4 address within IPv6', '192.0.2.1', (n: number) => `[::ffff:192.0.2.1]:${n}`],
  ['a word', '127.0.0.1', (n: number) => `unknown${n}`],
  ['several headers', '192.0.2.1', (n: number) => [`203.0.113.${n}`, `192.0.2.1:${n}`]],
])('%s in X-Forwarded-For gives nobody a limit of their own; the log names %s', async (_what, ip, forwarded) => {
  await using own = await testDatabase();
  const app = { limits: { ...specRateLimits, perCaller: 3 }, addressOf: clientAddresses(1) };
  await using limited = await notesService({ databaseUrl: own.url, app });
  const statuses: (number | undefined)[] = [];
  for (const n of [1, 2, 3, 4]) {
    const sent = request(limited.url + NOTE, { headers: { 'x-forwarded-for': forwarded(n) } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await text(response);
    statuses.push(response.statusCode);
  }
  expect(statuses).toEqual([401, 401, 401, 429]);
  const ips = () => limited.entries().flatMap(({ type, ip }) => (type === 'REQUEST' ? [ip] : []));
  await until(() => ips().length === 4, { what: 'four entries of the log' });
  expect(ips()).toEqual([ip, ip, ip, ip]);
});

test('while requests cannot be counted, reads are answered, changes wait (503, in the specification 500), and the log says so', async () => {
  await sql`alter table rate_limits rename to rate_limits_away`.execute(service.db);
  try {
    expect((await service.call('GET', NOTE, { key })).status).toBe(404);
    const change = await service.call('POST', '/api/v1/notes', { key, json: { text: 'x' } });
    expect([change.status, change.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await change.json()).toMatchObject({ error: { code: 'SERVICE_NOT_READY' } });
    expect((await service.call('HEAD', NOTE, { key })).status).toBe(404);
    const specified = await service.call('DELETE', NOTE, { key });
    expect([specified.status, specified.headers.get('retry-after')]).toEqual([500, '5']);
    expect(await specified.json()).toMatchObject({ error: { code: 'SERVICE_NOT_READY' } });
    expect(service.logged()).toContain('request counts are not available');
  } finally {
    await sql`alter table rate_limits_away rename to rate_limits`.execute(service.db);
  }
  expect((await service.call('POST', '/api/v1/notes', { key, json: { text: 'x' } })).status).toBe(201);
});
