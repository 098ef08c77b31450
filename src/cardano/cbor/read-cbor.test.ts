import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readCbor, writeByteString } from './read-cbor.ts';

const read = (hex: string) => readCbor(Buffer.from(hex, 'hex'));

test.each<[string, unknown]>([
  ['00', 0],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['27', -8],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['62c3bc', 'ü'],
  ['83010203', [1, 2, 3]],
  [
    'a26161016162820203',
    new Map<unknown, unknown>([
      ['a', 1],
      ['b', [2, 3]],
    ]),
  ],
])('%s is read as RFC 8949 defines', (hex, item) => {
  expect(read(hex)).toEqual(item);
});

test('byte strings are read at every encoding width of their length', () => {
  for (const length of [0, 23, 24, 255, 256, 65_535, 65_536]) {
    expect(readCbor(writeByteString(Buffer.alloc(length, 7)))).toEqual(Buffer.alloc(length, 7));
  }
  expect(writeByteString(Buffer.alloc(24)).toString('hex')).toMatch(/^581800/);
  expect(writeByteString(Buffer.alloc(256)).toString('hex')).toMatch(/^59010000/);
});

test.each([
  ['nothing', ''],
  ['two items', '0000'],
  ['an item that ends early', '4201'],
  ['an open length', '5f4101ff'],
  ['a length beyond the bytes', '5b00000000ffffffff'],
  ['a length beyond exact numbers', '5bffffffffffffffff'],
  ['a count beyond the bytes', '9bffffffffffffff'],
  ['a reserved length', '1c'],
  ['a tag', 'd28440a04040'],
  ['a float', 'f90000'],
  ['undefined', 'f7'],
  ['text that is not UTF-8', '61ff'],
  ['a key twice', 'a201000101'],
  ['a key that is a list', 'a18000'],
  ['deep nesting', `${'81'.repeat(9)}00`],
  ['the nesting that corrupts the memory of the ledger libraries', `${'81'.repeat(50_000)}00`],
])('%s is refused', (_what, hex) => {
  expect(read(hex)).toBeUndefined();
});

test('no input makes the reader throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(() => readCbor(bytes)).not.toThrow();
    }),
    { numRuns: 5000 },
  );
});
