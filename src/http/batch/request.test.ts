import { expect, test } from '@jest/globals';
import { itemBody, itemUrl } from './request.ts';

test.each([
  ['/api/v1/vaults', '/api/v1/vaults'],
  ['/api/v1/vaults?limit=1&x=a b', '/api/v1/vaults?limit=1&x=a%20b'],
  ['/api/v1/a/../vaults', '/api/v1/vaults'],
  ['/api/v1/batches', '/api/v1/batches'],
  ['/api/v1/batch', null],
  ['/api/v1/batch/?x=1', null],
  ['/api/v1/x/../batch', null],
  ['/api/v1/%2e%2e/v1/batch', null],
  ['/api/v1/Batch', null],
  ['/api/v1/../../dev/clock/advance', null],
  ['/api/v0/vaults', null],
  ['/health/live', null],
  ['//other.example/api/v1/vaults', null],
  ['http://other.example/api/v1/vaults', null],
  ['api/v1/vaults', null],
  ['\\\\other.example/api/v1/', null],
  ['', null],
])('%j becomes %j', (path, url) => {
  expect(itemUrl(path)).toBe(url);
});

test('the body of an item is passed on as it is; one that nests too deep is not', () => {
  const item = { id: '1', method: 'POST', path: '/api/v1/x' } as const;
  expect(itemBody(item)).toBeNull();
  expect(itemBody({ ...item, body: null })).toBe('null');
  expect(itemBody({ ...item, body: { text: 'a\0b' } })).toBe(String.raw`{"text":"a\u0000b"}`);
  expect(itemBody({ ...item, body: JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) })).toBeUndefined();
});
