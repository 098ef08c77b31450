import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';

test('fields stand in the order of their names, whatever order they were written in', () => {
  expect(canonicalJson({ b: [3, { d: null, c: 'é' }], a: 1.5, aa: true })).toBe(
    '{"a":1.5,"aa":true,"b":[3,{"c":"é","d":null}]}',
  );
});

test('the text says the same as the value and does not depend on how it came about', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const read: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(read))).toEqual(read);
      expect(canonicalJson(JSON.parse(canonicalJson(read)))).toBe(canonicalJson(read));
    }),
  );
});

test.each([undefined, () => 1, Number.NaN, Infinity, { a: undefined }])(
  '%p is refused instead of left out',
  (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  },
);
