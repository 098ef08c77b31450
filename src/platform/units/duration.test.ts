import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { defaultDurationBounds, parseDuration, printDuration } from './time.ts';

const HOUR = 3_600;

test.each([
  ['01:00:00', 24 * HOUR],
  ['30:00:00', 720 * HOUR],
  ['07:12:30', 180 * HOUR + 1_800],
  ['00:00:01', 60],
  ['168h', 168 * HOUR],
  ['24H', 24 * HOUR],
])('%s is %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each([
  '',
  'h',
  '24',
  '1:60',
  '00:24:00',
  '00:00:60',
  '-1:00:00',
  '1.5h',
  ' 24h',
  '24 h',
  '1:2:3',
  '9999999h',
  'P7D',
])('%p is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('a printed duration is parsed back, also beyond 99 days', () => {
  fc.assert(
    fc.property(fc.nat(99_999 * 24 * 60), (minutes) => {
      expect(parseDuration(printDuration(minutes * 60))).toBe(minutes * 60);
    }),
  );
  expect(printDuration(400 * 24 * HOUR)).toBe('400:00:00');
});

test('a partial minute is not printed as a whole one', () => {
  expect(printDuration(59)).toBe('00:00:00');
  expect(printDuration(HOUR + 119)).toBe('00:01:01');
});

test('a value that is not a number of seconds is not printed', () => {
  expect(() => printDuration(-1)).toThrow(RangeError);
  expect(() => printDuration(1.5)).toThrow(RangeError);
});

test('the default bounds are those of the specification', () => {
  const hours = Object.entries(defaultDurationBounds).map(([name, bound]) => [
    name,
    ...Object.values(bound as Record<string, number>).map((seconds) => seconds / HOUR),
  ]);
  expect(hours).toEqual([
    ['assetWindow', 24, 720],
    ['investmentWindow', 24, 168],
    ['voting', 24, 168],
    ['lock', 12, 48],
    ['execution', 24, 72],
    ['valuationAge', 24],
    ['tradePriceAge', 1],
  ]);
});
