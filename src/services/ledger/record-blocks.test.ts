import { expect, test } from '@jest/globals';
import type { Block } from '../../chain/ledger/responses.ts';
import { instant } from '../../domain/units/instant.ts';
import { requireChain } from './record-blocks.ts';

const time = instant(1_700_000_000_000);
const tip = { height: 7, hash: 'b7', slot: 70, time };
const block = (height: number, previousHash = `b${height - 1}`): Block => ({
  ...{ height, hash: `b${height}`, previousHash, slot: height * 10, time, txCount: 0, confirmations: 1 },
});

test('blocks that follow each other and the tip are recorded', () => {
  expect(() => {
    requireChain(tip, [block(8), block(9)]);
  }).not.toThrow();
});

test.each([
  ['the first block follows another tip', [block(8, 'other')]],
  ['a later block follows another one', [block(8), block(9, 'other')]],
  ['a block is missing', [block(8), { ...block(10), previousHash: 'b8' }]],
  ['a block comes twice', [block(8), block(8)]],
])('no block is recorded when %s', (_what, blocks) => {
  expect(() => {
    requireChain(tip, blocks);
  }).toThrow(expect.objectContaining({ code: 'LEDGER_UNAVAILABLE' }));
});
