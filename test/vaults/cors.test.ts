import { expect, test } from '@jest/globals';
import { apiService } from './api-service.ts';

test('a page from an origin in CORS_ORIGINS may read responses; pages from other origins may not', async () => {
  await using service = await apiService({ CORS_ORIGINS: 'https://app.example,http://localhost:*' });
  const allowed = async (origin: string) => {
    const response = await fetch(`${service.url}/health/live`, { headers: { origin } });
    return response.headers.get('access-control-allow-origin');
  };

  expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
  expect(await allowed('http://localhost')).toBe('http://localhost');
  expect(await allowed('http://localhost.evil.example')).toBeNull();
  expect(await allowed('http://localhost:5173.evil.example')).toBeNull();
  expect(await allowed('https://app.example')).toBe('https://app.example');
  expect(await allowed('https://evil.example')).toBeNull();
});
