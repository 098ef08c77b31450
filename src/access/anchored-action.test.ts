import { expect, test } from '@jest/globals';
import { instant } from '../platform/units/time.ts';
import { anchoredActionRefusals } from '../proposals/rules/proposal.ts';

const now = instant(Date.UTC(2026, 10, 23, 12));
const hoursAgo = (hours: number) => instant(now - hours * 3_600_000);

test('of many actions at once each wallet may do what its limit leaves, and learns when it may again', () => {
  const latest = new Map([
    ['full', [hoursAgo(1), hoursAgo(2), hoursAgo(23)]],
    ['one left', [hoursAgo(1), hoursAgo(20)]],
  ]);
  const wallets = ['one left', 'full', 'one left', 'new', 'new', 'new', 'new'];
  const refusals = anchoredActionRefusals(wallets, { kind: 'vote_change', limit: 3, latest, now });
  expect(refusals.map((one) => one && one.details?.['retryAfterSeconds'])).toEqual([
    null,
    3_600,
    4 * 3_600,
    ...[null, null, null],
    86_400,
  ]);
});
