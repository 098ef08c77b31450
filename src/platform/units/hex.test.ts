import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bytesOf, hexOf } from './ids.ts';

test('hex in upper or lower case is parsed back to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(hexOf(bytes)).toBe(Buffer.from(bytes).toString('hex'));
      expect(bytesOf(hexOf(bytes))).toEqual(bytes);
      expect(bytesOf(hexOf(bytes).toUpperCase())).toEqual(bytes);
    }),
  );
});

test.each(['0', 'zz', '0x00', ' 00'])('%j is not hex', (text) => {
  expect(bytesOf(text)).toBeUndefined();
});
