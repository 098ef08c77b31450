import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseAssetName, printAssetName } from './asset.ts';

test.each([
  ['Ape #1', '417065202331'],
  ['é', 'c3a9'],
  ['0xCAFE', 'cafe'],
  ['0x', ''],
  ['', ''],
  ['cafe', '63616665'],
  ['x'.repeat(32), '78'.repeat(32)],
  [`0x${'ab'.repeat(32)}`, 'ab'.repeat(32)],
])('%p is parsed as %p', (text, hex) => {
  expect(parseAssetName(text)).toBe(hex);
});

test.each(['x'.repeat(33), 'é'.repeat(17), `0x${'ab'.repeat(33)}`, '0xabc', '0xzz', '0x41 ', 'half \ud800'])(
  '%p is not an asset name',
  (text) => {
    expect(parseAssetName(text)).toBeUndefined();
  },
);

test('a text name and its hex form mean the same asset', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((name) => !name.startsWith('0x'));
  fc.assert(
    fc.property(text, (name) => {
      const hex = parseAssetName(name);
      expect(hex).toBe(Buffer.byteLength(name) > 32 ? undefined : Buffer.from(name).toString('hex'));
      expect(hex === undefined ? undefined : parseAssetName(`0x${hex}`)).toBe(hex);
    }),
  );
});

test.each([
  ['417065202331', 'Ape #1'],
  ['c3a9', 'é'],
  ['', '0x'],
  ['ff00', '0xff00'],
  ['4100', '0x4100'],
  ['3078', '0x3078'],
  ['efbbbf41', '0xefbbbf41'],
])('%p is displayed as %p', (hex, text) => {
  expect(printAssetName(hex)).toBe(text);
});

test('every displayed name is parsed back to the same asset', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 32 }), (bytes) => {
      const hex = Buffer.from(bytes).toString('hex');
      expect(parseAssetName(printAssetName(hex))).toBe(hex);
    }),
  );
});
