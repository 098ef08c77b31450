import { expect, test } from '@jest/globals';
import { runInSlices, type Steps } from './states.ts';

function* count(to: number, seen: number[]): Steps<string> {
  for (let step = 1; step <= to; step += 1) {
    seen.push(step);
    yield;
  }
  return `${to} done`;
}

test('work pauses after each hundred steps, and returns its result', async () => {
  const seen: number[] = [];
  const pauses: number[] = [];
  const pause = () => Promise.resolve(pauses.push(seen.length));
  await expect(runInSlices(count(250, seen), pause)).resolves.toBe('250 done');
  expect(pauses).toEqual([100, 200]);
});
