import { expect, test } from '@jest/globals';
import { itemUrl } from './send-batch.ts';

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
