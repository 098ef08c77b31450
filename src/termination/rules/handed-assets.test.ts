import { expect, test } from '@jest/globals';
import { parseHandedAssets, printHandedAssets } from './pot.ts';

test('handed assets have one text in any order, and are read from it', () => {
  const handed = [
    { assetId: 'b', address: 'addr1y' },
    { assetId: 'a', address: 'addr1x' },
  ];
  const text = printHandedAssets(handed);
  expect(text).toBe('a addr1x, b addr1y');
  expect(printHandedAssets(handed.toReversed())).toBe(text);
  expect(parseHandedAssets(text)).toEqual(handed.toReversed());
  expect(parseHandedAssets(null)).toEqual([]);
});
