import { expect, test } from '@jest/globals';
import { problemsOf, unusableText } from './parse-request.ts';

const invalidAt = (field: string) => expect.objectContaining({ code: 'INVALID_TEXT', field }) as unknown;

test('each bad text is reported at its field, and a bad name at the field that holds it', () => {
  const body = { name: 'fine', list: ['a', { text: 'a\0' }], deep: { '\ud800': 1 }, '\0': 'x' };
  expect(unusableText(body, 'body')).toEqual([invalidAt('list.1.text'), invalidAt('deep'), invalidAt('body')]);
  expect(unusableText('\0', 'body')).toEqual([invalidAt('body')]);
  expect(unusableText(undefined, 'body')).toEqual([]);
});

test('a field named __proto__ is refused: a schema of a record would leave it out', () => {
  const body: unknown = JSON.parse('{"conditions":{"__proto__":"x"}}');
  expect(unusableText(body, 'body')).toEqual([
    expect.objectContaining({ code: 'UNKNOWN_FIELD', field: 'conditions.__proto__' }),
  ]);
});

test('a body that nests deeper than the call stack is looked through, and its paths are cut', () => {
  const depth = 200_000;
  const body: unknown = JSON.parse('[]');
  let inner = body as unknown[];
  for (let level = 1; level < depth; level += 1) inner = inner[0] = [] as unknown[];
  inner.push(...Array.from({ length: 300 }, () => '\0'));
  const problems = unusableText(body, 'body');
  expect(problems).toHaveLength(100);
  expect(problems[0]?.field).toHaveLength(200);
});

test('a field without a name is reported as one', () => {
  const issue = { code: 'unrecognized_keys' as const, keys: [''], path: [], message: 'x' };
  expect(problemsOf([issue], { '': 1 }, 'body')).toEqual([expect.objectContaining({ field: '""' })]);
  expect(unusableText({ '': '\0' }, 'body')).toEqual([invalidAt('""')]);
});

test('bytes that a message of a socket names hundreds of times are not looked through: nobody would be served for so long', () => {
  const bytes = Buffer.alloc(16_384);
  const payload = Array.from({ length: 5_000 }, () => bytes);
  const began = process.cpuUsage();
  expect(unusableText(payload, 'body')).toEqual([]);
  // It took seconds.
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
});
