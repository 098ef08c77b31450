import { expect, test } from '@jest/globals';
import { isoText } from '../units/time.ts';
import { jsonInstant } from './stored-json.ts';

test.each([
  ['2026-11-22T23:06:10.123456+00:00', '2026-11-22T23:06:10.123Z'],
  ['2026-11-22T23:06:10.999999+00:00', '2026-11-22T23:06:10.999Z'],
  ['2026-11-22T23:06:10+00:00', '2026-11-22T23:06:10.000Z'],
  ['2026-11-23T01:36:10.1+02:30', '2026-11-22T23:06:10.100Z'],
])('the time %s of a JSON column loses only its microseconds', (time, read) => {
  expect(isoText(jsonInstant(time))).toBe(read);
});
