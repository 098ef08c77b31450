import { expect, test } from '@jest/globals';
import { isFungibleByName, isReferenceToken, labelOf } from './asset.ts';

test.each([
  ['000643b0426f6174', 100],
  ['000de140426f6174', 222],
  ['0014df10426f6174', 333],
  ['001bc280', 444],
  ['00000000', 0],
  // Wrong checksums, brackets that are none, and names that are too short are names without a label.
  ['000643b1', undefined],
  ['000643a0426f6174', undefined],
  ['100643b0426f6174', undefined],
  ['000643', undefined],
  ['426f6174', undefined],
  ['', undefined],
])('the label of the name %s is %s', (name, label) => {
  expect(labelOf(name)).toBe(label);
});

test('label 100 names a reference token, and 333 and 444 a fungible one', () => {
  const named = (prefix: string) => ({ assetName: `${prefix}426f6174` });
  expect(['000643b0', '000de140', '0014df10', '001bc280'].map((label) => isReferenceToken(named(label)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(['000643b0', '000de140', '0014df10', '001bc280'].map((label) => isFungibleByName(named(label)))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
