import { expect, test } from '@jest/globals';
import { singleFlight } from './async.ts';

test('work runs again after it has ended, also when it ended at once or failed', async () => {
  let runs = 0;
  const work = singleFlight(() => {
    runs += 1;
    return runs === 2 ? Promise.reject(new Error('second')) : Promise.resolve(runs);
  });
  expect(await Promise.all([work(), work()])).toEqual([1, 1]);
  await expect(work()).rejects.toThrow('second');
  expect(await work()).toBe(3);
});
