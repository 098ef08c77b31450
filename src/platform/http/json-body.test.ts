import { expect, test } from '@jest/globals';
import { exceeds } from './bodies.ts';

const listOf = (count: number, value: string) => `[${Array.from({ length: count }, () => value).join()}]`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  ['lists in lists', nested(300_000)],
  ['lists that nest one too deep', `{"a":${nested(100)}}`],
  ['too many lists', listOf(200_000, '[]')],
  ['too many numbers', listOf(20_001, '1')],
  ['too many fields', JSON.stringify(Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`f${at}`, 1])))],
  ['lists behind a string with an escaped quote', `["\\"",${nested(100)}]`],
  ['lists behind a string that ends with a backslash', `["\\\\",${nested(100)}]`],
  ['lists that are never closed', '['.repeat(101)],
])('a body of %s is refused before it is parsed', (_, text) => {
  expect(exceeds(Buffer.from(text))).toBe(true);
});

test.each([
  ['as many values as allowed', listOf(19_999, '1')],
  ['as much nesting as allowed', `{"a":${nested(99)}}`],
  ['brackets and commas in a text', JSON.stringify({ text: '[,{'.repeat(30_000), more: '\\"[' })],
  ['a text that never ends', `"${'['.repeat(1000)}`],
  ['nothing', ''],
])('a body with %s is parsed', (_, text) => {
  expect(exceeds(Buffer.from(text))).toBe(false);
});
