import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../platform/units/time.ts';
import { graceAfterLostClaim } from './claims.ts';

const DAY = 86_400;
const now = instant(new Date('2026-11-23T00:00:00Z'));
const ending = {
  claimDeadline: secondsAfter(now, 600),
  unclaimedLovelaceTo: 'addr_test1',
  graceSeconds: 0,
};

const inSeconds = (seconds: number) => secondsAfter(now, seconds);

test.each([
  ['in the last minutes', {}, { claimDeadline: inSeconds(DAY), graceSeconds: DAY - 600 }],
  [
    'after the deadline, while it was awaited',
    { claimDeadline: inSeconds(-60) },
    { claimDeadline: inSeconds(DAY), graceSeconds: DAY },
  ],
  [
    'after the ledger was away for longer than all grace',
    { claimDeadline: inSeconds(-20 * DAY) },
    { claimDeadline: inSeconds(DAY), graceSeconds: DAY },
  ],
  ['a day before the deadline', { claimDeadline: inSeconds(DAY) }, null],
  ['when they run a week longer already', { graceSeconds: 7 * DAY }, null],
  [
    'when little of the week is left',
    { graceSeconds: 7 * DAY - 60 },
    { claimDeadline: inSeconds(660), graceSeconds: 7 * DAY },
  ],
  ['when nobody is named for what is left: it can be claimed all the same', { unclaimedLovelaceTo: null }, null],
] as const)('a claim that does not land keeps the claims open for a day, %s', (_when, changes, grace) => {
  expect(graceAfterLostClaim({ ...ending, ...changes }, now)).toEqual(grace);
});
