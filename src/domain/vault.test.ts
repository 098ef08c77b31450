import { expect, test } from '@jest/globals';
import { parseVaultType } from './vault.ts';

test.each([
  ['public', 'PUBLIC'],
  ['Private', 'PRIVATE'],
  ['SEMI_PRIVATE', 'SEMI_PRIVATE'],
  ['semi-private', 'SEMI_PRIVATE'],
  ['Semi Private', 'SEMI_PRIVATE'],
])('%s is %s', (text, type) => {
  expect(parseVaultType(text)).toBe(type);
});

test.each(['', 'semiprivate', 'open', ' public'])('%p is no vault type', (text) => {
  expect(parseVaultType(text)).toBeUndefined();
});
