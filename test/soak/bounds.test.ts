import { expect, test } from '@jest/globals';
import { growthIn, isUpToDate } from './bounds.ts';

const round = (changes: object = {}) => ({
  apiMb: 200,
  workerMb: 300,
  longestHistory: 100,
  followerLagSeconds: 1,
  timerLagSeconds: 0,
  ...changes,
});
const warmUp = [round(), round({ workerMb: 320 }), round()];

test('a process may need half as much again as in the first rounds, and no history may be endless', () => {
  expect(growthIn([...warmUp, round({ apiMb: 300, workerMb: 480, longestHistory: 5000 })])).toEqual([]);
  expect(growthIn([...warmUp, round({ apiMb: 301 }), round({ workerMb: 481 })])).toEqual([
    'apiMb is 301, above 300',
    'workerMb is 481, above 480',
  ]);
  expect(growthIn([round({ longestHistory: 5001 })])).toEqual(['a history has 5001 events']);
  expect(growthIn(warmUp.slice(0, 1))).toEqual([]);
});

test('a stack is up to date when neither timers nor blocks are behind, and the follower says so', () => {
  expect(isUpToDate(round({ timerLagSeconds: 5, followerLagSeconds: 5 }))).toBe(true);
  expect(isUpToDate(round({ timerLagSeconds: 6 }))).toBe(false);
  expect(isUpToDate(round({ followerLagSeconds: 6 }))).toBe(false);
  expect(isUpToDate(round({ followerLagSeconds: -1 }))).toBe(false);
});
