import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from 'node:net';
import { once } from 'node:events';
import { notesService } from './notes-service.ts';
import { until } from '../stack/until.ts';
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

const someId = '01890a5d-ac96-774b-bcce-b302099a8057';
const json = { 'content-type': 'application/json' };

test.each<[string, unknown, { code: string; field: string }[]]>([
  ['a missing field', {}, [{ code: 'REQUIRED', field: 'text' }]],
  ['another type', { text: 7 }, [{ code: 'INVALID_TYPE', field: 'text' }]],
  ['null', { text: null }, [{ code: 'INVALID_TYPE', field: 'text' }]],
  ['a value below its bound', { text: 'x', stars: -1 }, [{ code: 'TOO_SMALL', field: 'stars' }]],
  ['a value above its bound', { text: 'x', stars: 6 }, [{ code: 'TOO_BIG', field: 'stars' }]],
  ['a fraction', { text: 'x', stars: 1.5 }, [{ code: 'INVALID_TYPE', field: 'stars' }]],
  ['an empty text', { text: '' }, [{ code: 'TOO_SMALL', field: 'text' }]],
  ['a text too long', { text: 'x'.repeat(60_001) }, [{ code: 'TOO_BIG', field: 'text' }]],
  ['an unknown field', { text: 'x', colour: 'red' }, [{ code: 'UNKNOWN_FIELD', field: 'colour' }]],
  [
    'an unknown field inside',
    { text: 'x', tags: [{ name: 'a', x: 1 }] },
    [{ code: 'UNKNOWN_FIELD', field: 'tags.0.x' }],
  ],
  ['a missing field inside', { text: 'x', tags: [{}] }, [{ code: 'REQUIRED', field: 'tags.0.name' }]],
  ['a NUL character', { text: 'a\0b' }, [{ code: 'INVALID_TEXT', field: 'text' }]],
  ['half a surrogate pair', { text: '\ud800' }, [{ code: 'INVALID_TEXT', field: 'text' }]],
  ['a list', [1], [{ code: 'INVALID_TYPE', field: 'body' }]],
  [
    'two problems',
    { stars: 9 },
    [
      { code: 'REQUIRED', field: 'text' },
      { code: 'TOO_BIG', field: 'stars' },
    ],
  ],
])('a body with %s is refused, the error names the field, and nothing changes', async (_case, body, errors) => {
  const before = await service.countNotes();
  const response = await service.call('POST', '/api/v1/notes', { key, json: body });
  expect(response.status).toBe(400);
  const answer = await response.json();
  expect(answer).toHaveProperty('error.type', 'VALIDATION_ERROR');
  expect(answer).toHaveProperty(
    'error.details.errors',
    errors.map((error) => expect.objectContaining(error)),
  );
  expect(await service.countNotes()).toBe(before);
});

test('a body with thousands of problems reports the first hundred', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, number) => [`field${number}`, 1]));
  const response = await service.call('POST', '/api/v1/notes', { key, json: { text: 'x', ...unknown } });
  expect(response.status).toBe(400);
  const answer = await response.json();
  expect(answer).toHaveProperty('error.details.errors.length', 100);
});

test.each<[string, { text?: string; headers?: Record<string, string> }, number, string]>([
  ['no JSON', { text: '{"text":', headers: json }, 400, 'MALFORMED_JSON'],
  ['a bare value', { text: '"text"', headers: json }, 400, 'MALFORMED_JSON'],
  [
    'another type',
    { text: 'text=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['no type', { text: '{"text":"x"}', headers: { 'content-type': '' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  [
    'an unknown encoding',
    { text: '{}', headers: { ...json, 'content-encoding': 'zip' } },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'an unknown charset',
    { text: '{}', headers: { 'content-type': 'application/json; charset=x-1' } },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'an unsupported charset',
    { text: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['too many values', { text: `[${'[],'.repeat(30_000)}1]`, headers: json }, 413, 'BODY_TOO_LARGE'],
  ['more than 100 kB', { text: JSON.stringify({ text: 'x'.repeat(102_400) }), headers: json }, 413, 'BODY_TOO_LARGE'],
  ['a broken compression', { text: '{}', headers: { ...json, 'content-encoding': 'gzip' } }, 400, 'INVALID_REQUEST'],
  ['a hostile depth', { text: `${'['.repeat(50_000)}${']'.repeat(50_000)}`, headers: json }, 413, 'BODY_TOO_LARGE'],
  ['a prototype', { text: '{"text":"x","__proto__":{"a":1}}', headers: json }, 400, 'INVALID_REQUEST'],
  ['nothing', {}, 400, 'INVALID_REQUEST'],
])('a body of %s is refused', async (_case, call, status, code) => {
  const before = await service.countNotes();
  const response = await service.call('POST', '/api/v1/notes', { key, ...call });
  expect(await response.json()).toHaveProperty('error.code', code);
  expect(response.status).toBe(status);
  expect(await service.countNotes()).toBe(before);
});

test.each([
  ['/api/v1/notes/7', 'noteId'],
  [`/api/v1/notes/${someId}?page=0`, 'page'],
  [`/api/v1/notes/${someId}?page=x`, 'page'],
  [`/api/v1/notes/${someId}?page=1&page=2`, 'page'],
  [`/api/v1/notes/${someId}?pge=1`, 'pge'],
  [`/api/v1/notes/${someId}?page[a]=1`, 'page[a]'],
])('%s is refused, and the error names the invalid part', async (path, field) => {
  const response = await service.call('GET', path, { key });
  expect(response.status).toBe(400);
  expect(await response.json()).toHaveProperty('error.details.errors.0.field', field);
});

test('an operation without a body refuses body fields', async () => {
  const response = await service.call('DELETE', `/api/v1/notes/${someId}`, { key, json: { force: true } });
  expect(response.status).toBe(400);
  expect(await response.json()).toHaveProperty('error.details.errors.0.field', 'force');
});

test.each<[string, string, number, string]>([
  ['GET', '/api/v1/nowhere', 404, 'ROUTE_NOT_FOUND'],
  ['PUT', '/api/v1/notes', 405, 'METHOD_NOT_ALLOWED'],
  ['GET', '/', 404, 'ROUTE_NOT_FOUND'],
  ['GET', '/api/v2/notes', 404, 'VERSION_NOT_SUPPORTED'],
  ['GET', '/api/v10', 404, 'VERSION_NOT_SUPPORTED'],
  ['GET', '/api/v1/notes/%E0%A4%A', 400, 'INVALID_REQUEST'],
])('%s %s is answered with %i %s', async (method, path, status, code) => {
  const response = await service.call(method, path, { key });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ status: 'error', error: { code } });
});

test.each([
  ['path', 'GET', '/api/v1/notes/%E0%A4%A', {}],
  ['body', 'POST', '/api/v1/notes', { text: '{}', headers: { ...json, 'content-encoding': 'gzip' } }],
])('a %s that cannot be read is named in the error', async (field, method, path, call) => {
  const response = await service.call(method, path, { key, ...call });
  expect(await response.json()).toHaveProperty('error.details.errors.0.field', field);
});

test('an unexpected failure is described in the log and not in the response', async () => {
  const response = await service.call('GET', '/api/v1/breakdown', { key });
  const body = await response.json();
  expect(response.status).toBe(500);
  expect(body).toHaveProperty('error.code', 'SYSTEM_ERROR');
  expect(JSON.stringify(body)).not.toContain('hunter2');
  const correlationId = response.headers.get('x-correlation-id');
  const entry = service.entries().find((line) => line['correlationId'] === correlationId && line['level'] === 'error');
  expect(entry).toMatchObject({
    type: 'SYSTEM_ERROR',
    code: 'SYSTEM_ERROR',
    error: { message: 'the password is hunter2' },
  });
});

test('a client that asks for problem details gets them, with the same code', async () => {
  const headers = { accept: 'application/problem+json' };
  const response = await service.call('POST', '/api/v1/notes', { key, json: {}, headers });
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(response.headers.get('vary')).toContain('Accept');
  expect(await response.json()).toMatchObject({
    type: 'urn:vts:error:INVALID_REQUEST',
    status: 400,
    code: 'INVALID_REQUEST',
    details: { errors: [{ field: 'text' }] },
    correlationId: response.headers.get('x-correlation-id'),
  });
});

test.each([
  [200, 'GET', '/openapi.json'],
  [204, 'OPTIONS', '/api/v1/notes'],
  [401, 'POST', '/api/v1/notes'],
  [404, 'GET', '/nowhere'],
  [405, 'PROPFIND', '/openapi.json'],
  [410, 'GET', '/api/v0/notes'],
])('a response with status %d carries the security headers of the specification', async (status, method, path) => {
  const response = await service.call(method, path);
  const { headers } = response;
  expect(response.status).toBe(status);
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains; preload');
  expect(headers.get('referrer-policy')).toBe('same-origin');
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'self';connect-src 'self' https://ledger.example;base-uri 'self';form-action 'self';frame-ancestors 'none'",
  );
  expect(headers.has('x-powered-by')).toBe(false);
});

test('X-Forwarded-For is ignored unless a proxy is trusted', async () => {
  await service.call('GET', '/openapi.json', { headers: { 'x-forwarded-for': '6.6.6.6' } });
  expect(service.logged()).not.toContain('6.6.6.6');
});

test('correlation ids of concurrent requests never mix', async () => {
  const echo = async (id: string) => {
    const text = 'x'.repeat(40_000);
    const headers = { 'x-correlation-id': id };
    const response = await service.call('POST', '/api/v1/correlations', { key, json: { text }, headers });
    expect(response.headers.get('x-correlation-id')).toBe(id);
    return (await response.json()) as { correlationId: string };
  };
  const wanted = Array.from({ length: 60 }, (_, i) => `mine-${i}`);
  const seen = await Promise.all(wanted.map(echo));
  expect(seen.map(({ correlationId }) => correlationId)).toEqual(wanted);
  const logged = service.entries().filter(({ message }) => message === 'deep inside');
  expect(new Set(logged.map(({ correlationId }) => correlationId))).toEqual(new Set(wanted));
});

test.each(['a b', 'x'.repeat(65), 'ü', ''])('the correlation id %j is replaced by a new one', async (id) => {
  const headers = { 'x-correlation-id': encodeURI(id) };
  const response = await service.call('GET', '/openapi.json', { headers });
  expect(response.headers.get('x-correlation-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test('every request writes one log entry with caller, operation and duration', async () => {
  const headers = { 'x-correlation-id': 'access-entry', 'user-agent': 'tester/1' };
  await service.call('GET', `/api/v1/notes/${someId}?page=1`, { key, headers });
  const entry = await until(
    () => service.entries().find(({ correlationId, type }) => correlationId === 'access-entry' && type === 'REQUEST'),
    { what: 'the entry of the request' },
  );
  expect(entry).toEqual({
    level: 'info',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    service: 'notes',
    message: 'GET readNote 404',
    correlationId: 'access-entry',
    type: 'REQUEST',
    method: 'GET',
    path: `/api/v1/notes/${someId}`,
    ip: '127.0.0.1',
    userAgent: 'tester/1',
    operationId: 'readNote',
    apiKeyId: key.split('_')[2],
    status: 404,
    durationMs: expect.any(Number),
  });
});

test('the log contains no secret of any request', async () => {
  const canary = 'CANARY5f3a';
  const headers = { authorization: `Bearer ${canary}`, cookie: canary, 'idempotency-key': canary, 'x-extra': canary };
  await service.call('POST', `/api/v1/notes?secret=${canary}`, { key, json: { text: canary }, headers });
  await service.call('POST', '/api/v1/notes', { key, json: { text: 5, email: canary, note: canary }, headers });
  await service.call('POST', '/api/v1/notes', { key, text: `{"text":"${canary}`, headers: { ...headers, ...json } });
  await service.call('POST', '/api/v1/notes', { key: `vts_test_${canary}`, json: { text: canary }, headers });
  await service.call('GET', '/openapi.json', { headers: { ...headers, 'x-correlation-id': 'canary-done' } });
  await until(() => service.logged().includes('canary-done'), { what: 'the last of them to be logged' });
  expect(service.logged()).not.toContain(canary);
  expect(service.logged()).not.toContain(key.slice(-43));
});

test('a closing server lets a running request finish, and waits for no idle connection', async () => {
  const { promise: running, resolve: begin } = Promise.withResolvers<undefined>();
  const { promise: finish, resolve: end } = Promise.withResolvers<undefined>();
  const other = await notesService({
    databaseUrl: database.url,
    // So long would it wait for the idle connection.
    graceSeconds: 86_400,
    async whileWriting() {
      begin(undefined);
      await finish;
    },
  });
  const idle = connect(Number(new URL(other.url).port), '127.0.0.1');
  await once(idle, 'connect');
  const response = other.call('POST', '/api/v1/notes', { key, json: { text: 'slow' } });
  await running;
  const closed = other[Symbol.asyncDispose]();
  await expect(other.call('GET', '/openapi.json')).rejects.toThrow('fetch failed');
  end(undefined);
  expect((await response).status).toBe(201);
  await closed;
  expect(idle.destroyed || idle.readableEnded || (await once(idle, 'close'))).toBeTruthy();
});

test('a body whose field names are long gets a response and a log entry no larger than itself', async () => {
  const hostile = JSON.stringify({ ['k'.repeat(90_000)]: Array.from({ length: 100 }, () => '\0') });
  const before = service.logged().length;
  const response = await service.call('POST', '/api/v1/notes', { key, text: hostile, headers: json });
  expect(response.status).toBe(400);
  expect((await response.text()).length).toBeLessThan(hostile.length / 2);
  expect(service.logged().length - before).toBeLessThan(2_000);
});
