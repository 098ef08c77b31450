import { expect, test } from '@jest/globals';
import { createClient, requireData } from '../../client/src/client.ts';
import { errorBody } from './streaming-service.ts';

const params = { path: { vaultId: 'v' } };

function clientOf(response: Response) {
  const requests: Request[] = [];
  const fetch = (request: Request) => {
    requests.push(request);
    return Promise.resolve(response);
  };
  const connection = { baseUrl: 'http://service.example', apiKey: 'key', fetch: fetch as typeof globalThis.fetch };
  return { client: createClient(connection), requests };
}

test('a call returns the data of its operation, and says who calls', async () => {
  const { client, requests } = clientOf(Response.json({ status: 'success', data: { id: 'v', status: 'LOCKED' } }));
  const { data } = requireData(await client.GET('/api/v1/vaults/{vaultId}', { params }));
  expect(data.status).toBe('LOCKED');
  expect(requests[0]).toMatchObject({ url: 'http://service.example/api/v1/vaults/v', method: 'GET' });
  expect(requests[0]?.headers.get('x-api-key')).toBe('key');
});

test('a refusal is a value with a code, which can be thrown', async () => {
  const details = { errors: [{ code: 'REQUIRED', message: 'x', field: 'vaultId' }] };
  const { client } = clientOf(Response.json(errorBody('VAULT_NOT_FOUND', details), { status: 404 }));
  const result = await client.GET('/api/v1/vaults/{vaultId}', { params });
  expect(result.error?.error.code).toBe('VAULT_NOT_FOUND');
  expect(() => requireData(result)).toThrow(
    expect.objectContaining({ code: 'VAULT_NOT_FOUND', status: 404, details, isRetryable: false }),
  );
});

test("a response that is not the service's has a code of its own", async () => {
  const { client } = clientOf(new Response('<h1>Bad Gateway</h1>', { status: 502 }));
  const result = await client.GET('/api/v1/vaults/{vaultId}', { params });
  expect(() => requireData(result)).toThrow(
    expect.objectContaining({ code: 'UNEXPECTED_RESPONSE', status: 502, isRetryable: true }),
  );
});
