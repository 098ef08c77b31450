import { expect, test } from '@jest/globals';
import { parseTypeName } from './ids.ts';

test.each([
  ['public', 'PUBLIC'],
  ['SEMI_PRIVATE', 'SEMI_PRIVATE'],
  ['semi-private', 'SEMI_PRIVATE'],
  ['Semi Private', 'SEMI_PRIVATE'],
  ['Art 2026', 'ART_2026'],
])('%s is %s', (text, name) => {
  expect(parseTypeName(text)).toBe(name);
});

test.each(['', ' public', '_x', '2nd', 'a/b', 'x'.repeat(41), '__proto__'])('%p is no name of a type', (text) => {
  expect(parseTypeName(text)).toBeUndefined();
});
