import { expect, test } from '@jest/globals';
import type { Block } from '../cardano/ledger/responses.ts';
import { instant, secondsAfter } from '../platform/units/time.ts';
import { requireChain } from './record-blocks.ts';

const time = instant(1_700_000_000_000);
const tip = { height: 7, hash: 'b7', slot: 70, time };
const block = (height: number, previousHash = `b${height - 1}`): Block => ({
  ...{
    height,
    hash: `b${height}`,
    previousHash,
    slot: height * 10,
    time: secondsAfter(time, (height - 7) * 10),
    txCount: 0,
    confirmations: 1,
  },
});

test('blocks that follow each other and the tip are recorded', () => {
  expect(() => {
    requireChain(tip, [block(8), block(9)], 1000);
  }).not.toThrow();
});

test.each([
  ['the first block follows another tip', [block(8, 'other')]],
  ['a later block follows another one', [block(8), block(9, 'other')]],
  ['a block is missing', [block(8), { ...block(10), previousHash: 'b8' }]],
  ['a block comes twice', [block(8), block(8)]],
  ['a block says a time in milliseconds', [{ ...block(8), time: instant(1_700_000_010_000_000) }]],
  ['a block says a slot that is far ahead', [{ ...block(8), slot: 4e9 }]],
  ['slots go back', [block(8), { ...block(9), slot: 79, time: secondsAfter(time, 9) }]],
])('no block is recorded when %s', (_what, blocks) => {
  expect(() => {
    requireChain(tip, blocks, 1000);
  }).toThrow(expect.objectContaining({ code: 'LEDGER_UNAVAILABLE' }));
});
