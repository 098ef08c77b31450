import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { replaceInvalidFields } from './problems.ts';

const schema = z.strictObject({
  name: z.string(),
  more: z.strictObject({ size: z.int(), color: z.string().optional() }),
  list: z.array(z.string()).default([]),
});
const example = { name: 'example', more: { size: 1 } };

test.each([
  ['nothing wrong', { name: 'a', more: { size: 2 } }, { name: 'a', more: { size: 2 }, list: [] }],
  ['a missing field', { more: { size: 2 } }, { name: 'example', more: { size: 2 }, list: [] }],
  [
    'a wrong field inside',
    { name: 'a', more: { size: 'x', color: 'red' } },
    { name: 'a', more: { size: 1, color: 'red' }, list: [] },
  ],
  ['a wrong optional field', { name: 'a', more: { size: 2, color: 5 } }, { name: 'a', more: { size: 2 }, list: [] }],
  ['unknown fields', { name: 'a', x: 1, more: { size: 2, y: 1 } }, { name: 'a', more: { size: 2 }, list: [] }],
  ['a wrong element', { name: 'a', more: { size: 2 }, list: ['b', 5] }, { name: 'a', more: { size: 2 }, list: [] }],
  ['a wrong object', { name: 'a', more: [] }, { name: 'a', more: { size: 1 }, list: [] }],
  ['no object at all', 'nonsense', { name: 'example', more: { size: 1 }, list: [] }],
])('%s is replaced and the rest is unchanged', (_what, body, expected) => {
  expect(replaceInvalidFields(schema, body, example)).toEqual(expected);
});

test('a body with thousands of invalid fields is not replaced field by field', () => {
  const unknown = Object.fromEntries(Array.from({ length: 9000 }, (_, number) => [`field${number}`, 1]));
  expect(replaceInvalidFields(schema, { name: 'a', more: { size: 2 }, ...unknown }, example)).toBeUndefined();
});
