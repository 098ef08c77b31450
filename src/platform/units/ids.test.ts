import { expect, test } from '@jest/globals';
import { createIds } from './ids.ts';
import { instant } from './time.ts';

test('an id is the UUIDv7 of its millisecond and random bits', () => {
  // The example of RFC 9562, appendix A.6: 0xCC3, 0x18C4DC0C0C07398F.
  const random = () => Uint8Array.from([0x0c, 0xc3, 0x60, 0, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39]);
  const ids = createIds({ clock: { now: () => instant(0x017f22e279b0) }, random });
  expect(ids.next()).toBe('017f22e2-79b0-7cc3-9000-c4dc0c0c0739');
});

test('ids of later milliseconds sort later', () => {
  let now = 1_700_000_000_000;
  const ids = createIds({
    clock: { now: () => instant((now += 1)) },
    random: (bytes) => new Uint8Array(bytes).fill(255),
  });
  const made = Array.from({ length: 50 }, () => ids.next());
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(50);
});
