import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../platform/units/time.ts';
import { endAfterClaims, secondsForOneSale } from './allowed-actions.ts';

const now = instant(new Date('2026-11-23T00:00:00Z'));
const DAY = 86_400;
const durations = { voting: DAY, lock: DAY / 2, execution: DAY / 2 };

test('whoever votes on a sale while a vault ends has three days to claim when its execution phase is over', () => {
  const endsAt = secondsAfter(now, 2 * DAY);
  expect(endAfterClaims(durations, secondsAfter(now, 5 * DAY), now)).toBeNull();
  expect(endAfterClaims(durations, secondsAfter(now, 5 * DAY - 1), now)).toBe(endsAt);
  expect(endAfterClaims(durations, null, now)).toBeNull();
});

test.each([
  ['four days', 4, durations],
  [
    'all proposals that others opened before they could stake',
    12,
    { voting: 7 * DAY, lock: 2 * DAY, execution: 3 * DAY },
  ],
])(
  'claims run long enough for a sale that holders draft after %s and endorse at the last moment',
  (_, days, longest) => {
    const openedAt = secondsAfter(now, (days + 7) * DAY);
    const deadline = secondsAfter(now, secondsForOneSale(durations, longest));
    expect(endAfterClaims(durations, deadline, openedAt)).toBeNull();
    expect(endAfterClaims(durations, deadline, secondsAfter(openedAt, 1))).not.toBeNull();
  },
);
