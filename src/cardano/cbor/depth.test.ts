import { expect, test } from '@jest/globals';
import { isShallowCbor } from './depth.ts';
import { readWitnessSet } from '../keys/witnesses.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const list = '81';
const tag = 'c1';
const openList = '9f';
const mapOfOne = 'a100';

test.each([list, tag, openList, mapOfOne])('nesting of %s is measured', (level) => {
  expect(isShallowCbor(bytes(level.repeat(60) + '00'))).toBe(true);
  expect(isShallowCbor(bytes(level.repeat(70) + '00'))).toBe(false);
});

test.each([
  ['many siblings', `98ff${'8100'.repeat(255)}`],
  ['siblings of an open list', `9f${'8100'.repeat(500)}ff`],
  ['tagged siblings', `98ff${'c100'.repeat(255)}`],
  ['siblings in maps', `b8ff${'00a10000'.repeat(255)}`],
  ['empty lists', `98ff${'80'.repeat(255)}`],
  ['open texts', `98ff${'7f6161ff'.repeat(255)}`],
  ['bytes that look deep', `5900ff${'81'.repeat(255)}`],
  ['nothing', ''],
  ['an end in the middle', '9bffffffffffffffff'],
])('%s are not counted as nesting', (_name, hex) => {
  expect(isShallowCbor(bytes(hex))).toBe(true);
});

test('a deeply nested witness set, which would break the ledger library for later callers, is refused', () => {
  const hostile = `a10481${'81'.repeat(2000)}00`;
  expect(() => readWitnessSet(hostile)).toThrow(expect.objectContaining({ code: 'INVALID_CBOR' }));
  expect(() => readWitnessSet('a0')).toThrow(expect.objectContaining({ code: 'INVALID_CBOR' }));
});
