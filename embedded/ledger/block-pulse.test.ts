import { expect, test } from '@jest/globals';
import { blockPulse } from './block-pulse.ts';

function fakeLedger() {
  const state = { height: 7, waiting: 0 };
  const parts = {
    chain: { blocks: { tip: () => ({ height: state.height }) } },
    mempool: { size: () => state.waiting },
    tick: () => {
      state.height += 1;
      state.waiting = 0;
    },
  };
  return { state, parts: parts as unknown as Parameters<typeof blockPulse>[0] };
}

/** The heights after each of so many ticks. */
function heights(tick: () => void, { state }: ReturnType<typeof fakeLedger>, ticks: number): number[] {
  return Array.from({ length: ticks }, () => {
    tick();
    return state.height;
  });
}

test('a ledger that never rests makes a block at each tick', () => {
  const ledger = fakeLedger();
  expect(heights(blockPulse(ledger.parts), ledger, 12).at(-1)).toBe(19);
});

test('a ledger at rest uses one of five ticks, until a transaction waits or blocks are rolled back', () => {
  const ledger = fakeLedger();
  const tick = blockPulse(ledger.parts, 2);
  expect(heights(tick, ledger, 9)).toEqual([8, 9, 10, 10, 10, 10, 10, 11, 11]);

  ledger.state.waiting = 1;
  expect(heights(tick, ledger, 9)).toEqual([12, 13, 14, 14, 14, 14, 14, 15, 15]);

  ledger.state.height = 13;
  expect(heights(tick, ledger, 5)).toEqual([14, 15, 16, 16, 16]);
});
