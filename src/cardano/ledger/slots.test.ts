import { expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import { instantOfSlot, slotAt } from './slots.ts';

const anchor = { slot: 86_400, time: instant(1_700_000_000_000), slotLengthMs: 1_000 };

test('slots and instants convert both ways from the reference point of the chain', () => {
  expect(slotAt(anchor, anchor.time)).toBe(86_400);
  expect(slotAt(anchor, instant(anchor.time + 1_999))).toBe(86_401);
  expect(slotAt(anchor, instant(anchor.time - 1))).toBe(86_399);
  expect(instantOfSlot(anchor, 86_390)).toBe(anchor.time - 10_000);
  expect(slotAt({ ...anchor, slotLengthMs: 100 }, instant(anchor.time + 1_000))).toBe(86_410);
});
