import { expect, test } from '@jest/globals';
import { apiService } from './api-service.ts';

test('a page from an origin in CORS_ORIGINS may read responses; pages from other origins may not', async () => {
  await using service = await apiService({ CORS_ORIGINS: 'https://app.example,http://localhost:*' });
  const allowed = async (origin: string, path = '/health/live') => {
    const { headers } = await service.root.get(path, { headers: { origin } });
    return headers.get('access-control-allow-origin');
  };

  expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
  expect(await allowed('http://localhost')).toBe('http://localhost');
  expect(await allowed('http://localhost.evil.example')).toBeNull();
  expect(await allowed('http://localhost:5173.evil.example')).toBeNull();
  expect(await allowed('https://app.example')).toBe('https://app.example');
  expect(await allowed('https://evil.example')).toBeNull();
  // The refusal says which transport to use.
  const polling = '/socket.io/?EIO=4&transport=polling';
  expect(await allowed('https://app.example', polling)).toBe('https://app.example');
  expect(await allowed('https://evil.example', polling)).toBeNull();
});

interface Document {
  readonly paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  readonly components: { readonly securitySchemes: Record<string, { in?: string; name?: string; scheme?: string }> };
}

test('a page from an allowed origin may send every method and header that the document names', async () => {
  await using service = await apiService({ CORS_ORIGINS: 'https://app.example' });
  const { body: document } = await service.root.get<Document>('/openapi.json');
  const operations = Object.values(document.paths).flatMap((path) => Object.entries(path));
  const parameters = operations.flatMap(([, { parameters = [] }]) => parameters);
  const headers = new Set(parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name));
  for (const { in: place, name } of Object.values(document.components.securitySchemes))
    headers.add(place === 'header' && name !== undefined ? name : 'Authorization');
  const methods = new Set(operations.map(([method]) => method.toUpperCase()));
  expect([...methods].sort()).toEqual(['DELETE', 'GET', 'PATCH', 'POST', 'PUT']);

  for (const method of methods) {
    const asked = { 'access-control-request-method': method, 'access-control-request-headers': [...headers].join(',') };
    const response = await service.api.options('/vaults', { headers: { origin: 'https://app.example', ...asked } });
    const listed = (name: string) => (response.headers.get(name) ?? '').toLowerCase().split(/, ?/);
    expect(response.status).toBe(204);
    expect(listed('access-control-allow-methods')).toContain(method.toLowerCase());
    expect(listed('access-control-allow-headers')).toEqual(
      expect.arrayContaining([...headers, 'Content-Type'].map((name) => name.toLowerCase())),
    );
  }
});
