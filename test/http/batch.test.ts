import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formatApiKey } from '../../src/access/api-keys.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { storeConfiguredKey } from './configured-key.ts';
import { errorResponse } from '../stack/error-response.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(async () => service[Symbol.asyncDispose]());

interface Item {
  id: string;
  method: string;
  path: string;
  body?: unknown;
}
interface Result {
  id: string;
  status: string;
  httpStatus: number;
  data?: Record<string, unknown> | null;
  error?: { code: string; correlationId: string; details?: { errors?: { field: string }[] } };
}

async function send(requests: Item[], options: { key?: string; headers?: Record<string, string> } = {}) {
  const { status, body } = await service.api.post<{ results: Result[] }>('/batch', { requests }, options);
  expect(status).toBe(200);
  return body.results;
}

async function newKey(roles: string[], rateLimit?: number): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  await storeConfiguredKey(service.db, {
    text,
    name: 'test',
    roles,
    ...(rateLimit !== undefined && { rateLimit }),
  });
  return text;
}

const newVault = () => ({ method: 'post', path: '/api/v1/vaults', body: vaultBody(newWallet().address) });
const countVaults = async () => Number((await service.sql.run<{ n: string }>`select count(*) as n from vaults`)[0]?.n);

test('items succeed and fail alone, in the order of the batch, with methods in any case', async () => {
  const before = await countVaults();
  const deep = `${'['.repeat(90)}${']'.repeat(90)}`;
  const results = await send([
    { id: 'made', ...newVault() },
    { id: 'invalid', method: 'POST', path: '/api/v1/vaults', body: { vault_name: 7 } },
    { id: 'poison', method: 'POST', path: '/api/v1/announcements', body: { message: 'a\0b' } },
    { id: 'deep', method: 'POST', path: '/api/v1/announcements', body: JSON.parse(deep) },
    { id: 'list', method: 'get', path: '/api/v1/vaults?limit=1' },
    { id: 'nested', method: 'POST', path: '/api/v1/batch', body: { requests: [] } },
    { id: 'outside', method: 'GET', path: '/health/live' },
    { id: 'nowhere', method: 'GET', path: '/api/v1/nowhere' },
    { id: 'gone', method: 'DELETE', path: '/api/v1/feature-flags/absent' },
    { id: 'read with a body', method: 'GET', path: '/api/v1/features', body: {} },
    { id: 'deleted with a body', method: 'DELETE', path: '/api/v1/feature-flags/absent', body: { é: [] } },
  ]);
  expect(results.map(({ id, status, httpStatus, error }) => [id, status, httpStatus, error?.code])).toEqual([
    ['made', 'success', 201, undefined],
    ['invalid', 'error', 400, 'INVALID_VAULT_PARAMS'],
    ['poison', 'error', 400, 'INVALID_REQUEST'],
    ['deep', 'error', 400, 'INVALID_REQUEST'],
    ['list', 'success', 200, undefined],
    ['nested', 'error', 400, 'INVALID_REQUEST'],
    ['outside', 'error', 400, 'INVALID_REQUEST'],
    ['nowhere', 'error', 404, 'ROUTE_NOT_FOUND'],
    ['gone', 'error', 404, 'FEATURE_FLAG_NOT_FOUND'],
    ['read with a body', 'success', 200, undefined],
    ['deleted with a body', 'error', 400, 'INVALID_REQUEST'],
  ]);
  expect(results[0]?.data).toMatchObject({ status: 'created', vault_id: expect.any(String) });
  expect(results[5]?.error?.details?.errors).toMatchObject([{ field: 'requests.5.path' }]);
  expect(await countVaults()).toBe(before + 1);
});

test('an item with the longest path is answered, also from a client with a long name; so are those beside it', async () => {
  const item = (id: string, letter: string) => {
    const path = '/api/v1/announcements?after=';
    return { id, method: 'GET', path: path + letter.repeat(2_000 - path.length) };
  };
  const requests = [{ id: 'made', ...newVault() }, item('long', 'x'), item('longer as bytes', '€')];
  const results = await send(requests, { headers: { 'user-agent': 'x'.repeat(15_000) } });
  expect(results.map(({ httpStatus, error }) => [httpStatus, error?.code])).toEqual([
    [201, undefined],
    [400, 'INVALID_REQUEST'],
    [400, 'INVALID_REQUEST'],
  ]);
});

test('an item without a body in its response has null', async () => {
  const flag = { enabled: true, version: 'v1.0.0', rolloutPercentage: 100 };
  await service.api.put('/feature-flags/short-lived', flag);
  const [deleted] = await send([{ id: 'x', method: 'DELETE', path: '/api/v1/feature-flags/short-lived' }]);
  expect(deleted).toEqual({ id: 'x', status: 'success', httpStatus: 204, data: null });
});

test('each item needs its own permission', async () => {
  const key = await newKey(['VOTER']);
  const results = await send(
    [
      { id: '1', ...newVault() },
      { id: '2', method: 'GET', path: '/api/v1/features' },
    ],
    { key },
  );
  expect(results.map(({ httpStatus }) => httpStatus)).toEqual([403, 200]);
  expect(await service.api.post('/batch', { requests: [] }, { key: null })).toHaveProperty('status', 401);
});

test('each item counts against the limit, and those above it are refused', async () => {
  const key = await newKey(['ADMIN'], 10);
  const requests = Array.from({ length: 15 }, (_, index) => ({
    id: `${index}`,
    method: 'GET',
    path: '/api/v1/features',
  }));
  const statuses = (await send(requests, { key })).map(({ httpStatus }) => httpStatus);
  expect(statuses.filter((status) => status === 200)).toHaveLength(9);
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
});

test('a repeated batch changes nothing again: each item has a key of its own', async () => {
  const requests = [
    { id: 'a', ...newVault() },
    { id: 'b', ...newVault() },
    { id: 'c', method: 'GET', path: '/api/v1/features' },
  ];
  const headers = { 'idempotency-key': 'batch-1' };
  const first = await send(requests, { headers });
  const before = await countVaults();
  const again = await send(requests, { headers });
  expect(again.map(({ data }) => data?.['vault_id'])).toEqual(first.map(({ data }) => data?.['vault_id']));
  expect(await countVaults()).toBe(before);
  const [other] = await send([{ id: 'a', ...newVault() }], { headers });
  expect(other).toMatchObject({ httpStatus: 422, error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
});

test('an item whose id cannot be part of an idempotency key fails alone', async () => {
  const requests = [
    { id: 'хата', ...newVault() },
    { id: 'a\nb', ...newVault() },
    { id: 'c', ...newVault() },
  ];
  const results = await send(requests, { headers: { 'idempotency-key': 'batch-2' } });
  expect(results.map(({ httpStatus, error }) => [httpStatus, error?.details?.errors?.[0]?.field])).toEqual([
    [400, 'requests.0.id'],
    [400, 'requests.1.id'],
    [201, undefined],
  ]);
});

test('the items have the correlation id of the batch', async () => {
  const headers = { 'x-correlation-id': 'my-batch' };
  const results = await send([{ id: '1', method: 'GET', path: '/api/v1/vaults/7' }], { headers });
  expect(results[0]?.error).toMatchObject({ correlationId: 'my-batch', details: { errors: [{ field: 'vaultId' }] } });
});

const get = { method: 'GET', path: '/api/v1/features' };
test.each<[string, unknown[], string]>([
  ['no item', [], 'requests'],
  ['21 items', Array.from({ length: 21 }, (_, index) => ({ id: `${index}`, ...get })), 'requests'],
  [
    'an id twice',
    [
      { id: 'a', ...get },
      { id: 'a', ...get },
    ],
    'requests.1.id',
  ],
  ['another method', [{ id: 'a', ...get, method: 'TRACE' }], 'requests.0.method'],
  ['an item without an id', [get], 'requests.0.id'],
])('a batch with %s is refused as a whole', async (_case, requests, field) => {
  expect(await service.api.post('/batch', { requests })).toMatchObject(
    errorResponse(400, 'INVALID_REQUEST', { errors: [{ field }] }),
  );
});
