import { expect, test } from '@jest/globals';
import { formatApiKey, hashSecret, isSecret, parseApiKey } from './api-keys.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const secret = Buffer.from('fb_-'.repeat(11).slice(0, 43), 'base64url');

test('a formatted key is parsed back, also if its secret contains the separator', () => {
  const text = formatApiKey({ environment: 'dev2', id, secret });
  expect(text).toMatch(/^vts_dev2_01890a5dac96774bbcceb302099a8057_/);
  expect(parseApiKey(text)).toEqual({
    environment: 'dev2',
    id: id.replaceAll('-', ''),
    secret: secret.toString('base64url'),
  });
});

test.each([
  { environment: 'de_v', id, secret },
  { environment: '', id, secret },
  { environment: 'dev', id: 'x', secret },
  { environment: 'dev', id, secret: Buffer.alloc(31) },
])('parts that could not be parsed back are refused: %j', (parts) => {
  expect(() => formatApiKey(parts)).toThrow(RangeError);
});

const valid = formatApiKey({ environment: 'dev', id, secret });
test.each([
  '',
  'vts',
  valid.toUpperCase(),
  ` ${valid}`,
  `${valid}\n`,
  `${valid}A`,
  valid.slice(1),
  valid.replace('_', '-'),
])('%j is not a key', (text) => {
  expect(parseApiKey(text)).toBeNull();
});

test('the hash of a secret is its SHA-256', () => {
  expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(isSecret('abc', hashSecret('abc'))).toBe(true);
  expect(isSecret('abd', hashSecret('abc'))).toBe(false);
});
