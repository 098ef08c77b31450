import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './merkle.ts';

test('fields are sorted by name, whatever their original order', () => {
  expect(canonicalJson({ b: [3, { d: null, c: 'é' }], a: 1.5, aa: true })).toBe(
    '{"a":1.5,"aa":true,"b":[3,{"c":"é","d":null}]}',
  );
});

test('the text equals the value and depends on nothing else', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const read: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(read))).toEqual(read);
      expect(canonicalJson(JSON.parse(canonicalJson(read)))).toBe(canonicalJson(read));
    }),
  );
});

test.each([undefined, () => 1, Number.NaN, Infinity, { a: undefined }])('%p is refused instead of omitted', (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});
