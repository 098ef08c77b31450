import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../platform/units/time.ts';
import { mayAdminRemove } from './removal.ts';

const HOUR = 3600;
const startsAt = instant(0);
const window = { startsAt, endsAt: secondsAfter(startsAt, 7 * 24 * HOUR) };
const begins = secondsAfter(startsAt, 6 * 24 * HOUR);
const before = secondsAfter(begins, -1);

test('in the last day an admin takes out no asset that others have relied on, but one that came since', () => {
  expect(mayAdminRemove({ lockedAt: startsAt }, window, before)).toBe(true);
  expect(mayAdminRemove({ lockedAt: startsAt }, window, begins)).toBe(false);
  expect(mayAdminRemove({ lockedAt: before }, window, secondsAfter(begins, HOUR))).toBe(false);
  expect(mayAdminRemove({ lockedAt: begins }, window, secondsAfter(begins, HOUR))).toBe(true);
  expect(mayAdminRemove({ lockedAt: null }, window, secondsAfter(begins, HOUR))).toBe(true);
});
