import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../units/instant.ts';
import { endAfterClaims, secondsForOneSale } from './governed-vault.ts';

const now = instant(new Date('2026-11-23T00:00:00Z'));
const DAY = 86_400;
const durations = { voting: DAY, lock: DAY / 2, execution: DAY / 2 };

test('whoever votes on a sale while a vault ends has three days to claim when its execution phase is over', () => {
  const endsAt = secondsAfter(now, 2 * DAY);
  expect(endAfterClaims(durations, secondsAfter(now, 5 * DAY), now)).toBeNull();
  expect(endAfterClaims(durations, secondsAfter(now, 5 * DAY - 1), now)).toBe(endsAt);
  expect(endAfterClaims(durations, null, now)).toBeNull();
});

test('claims run long enough for a sale that is drafted four days after they open and endorsed at the last moment', () => {
  const openedAt = secondsAfter(now, 4 * DAY + 7 * DAY);
  const deadline = secondsAfter(now, secondsForOneSale(durations));
  expect(endAfterClaims(durations, deadline, openedAt)).toBeNull();
  expect(endAfterClaims(durations, deadline, secondsAfter(openedAt, 1))).not.toBeNull();
});
