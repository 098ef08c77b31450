import { describe, expect, test } from '@jest/globals';
import { instant } from '../../platform/units/time.ts';
import {
  overdueSeconds,
  requireOpen,
  settlementDeadline,
  type Window,
  type WindowKind,
  type WindowStatus,
  windowStatusAt,
} from './window.ts';

const window = (status: WindowStatus, kind: WindowKind = 'asset'): Window => ({
  kind,
  status,
  startsAt: instant(1_000),
  endsAt: instant(5_000),
});

describe('the displayed status of a window', () => {
  test.each([
    ['PENDING', 999, 'PENDING', 0],
    ['PENDING', 1_000, 'ACTIVE', 0],
    ['ACTIVE', 4_999, 'ACTIVE', 0],
    ['ACTIVE', 5_000, 'COMPLETED', 0],
    ['ACTIVE', 7_999, 'COMPLETED', 2],
    ['PENDING', 7_000, 'COMPLETED', 2],
    ['COMPLETED', 7_000, 'COMPLETED', 0],
    ['FAILED', 7_000, 'FAILED', 0],
    ['FAILED', 2_000, 'FAILED', 0],
  ] as const)('stored as %s, at %d, is %s and %d s overdue', (stored, now, shown, overdue) => {
    expect(windowStatusAt(window(stored), instant(now))).toBe(shown);
    expect(overdueSeconds(window(stored), instant(now))).toBe(overdue);
  });
});

describe('an operation of a window', () => {
  test.each([
    ['asset', 999, 'ASSET_WINDOW_NOT_OPEN'],
    ['asset', 5_000, 'ASSET_WINDOW_CLOSED'],
    ['investment', 999, 'INVESTMENT_WINDOW_NOT_OPEN'],
    ['investment', 5_000, 'INVESTMENT_WINDOW_CLOSED'],
  ] as const)('is refused outside the %s window (at %d): %s', (kind, now, code) => {
    const details = { startsAt: '1970-01-01T00:00:01.000Z', endsAt: '1970-01-01T00:00:05.000Z' };
    const enter = () => {
      requireOpen(window('ACTIVE', kind), instant(now));
    };
    expect(enter).toThrow(expect.objectContaining({ code, details }));
  });

  test('is refused if the workflow closed the window early', () => {
    const enter = () => {
      requireOpen(window('FAILED'), instant(2_000));
    };
    expect(enter).toThrow(expect.objectContaining({ code: 'ASSET_WINDOW_CLOSED' }));
  });

  test('is allowed from the first to the last millisecond of the window', () => {
    for (const now of [1_000, 4_999]) {
      expect(() => {
        requireOpen(window('ACTIVE'), instant(now));
      }).not.toThrow();
    }
  });
});

test('a vault has seven days after the end of its later window to settle', () => {
  const early = { startsAt: instant(0), endsAt: instant(10) };
  const late = { startsAt: instant(0), endsAt: instant(20) };
  expect(settlementDeadline({ asset: early, investment: late })).toBe(20 + 604_800_000);
  expect(settlementDeadline({ asset: late, investment: early })).toBe(20 + 604_800_000);
});
