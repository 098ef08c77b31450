import { expect, test } from '@jest/globals';
import { createTurns } from './turns.ts';

test('so many run at once, the others in their order, also after one that fails', async () => {
  const inTurn = createTurns(2);
  const begun: number[] = [];
  const ends = [1, 2, 3, 4, 5].map((number) => ({ number, ...Promise.withResolvers<number>() }));
  const results = ends.map(({ number, promise }) =>
    inTurn(() => {
      begun.push(number);
      return promise;
    }),
  );
  expect(begun).toEqual([1, 2]);

  ends[1]?.reject(new Error('it failed'));
  await expect(results[1]).rejects.toThrow('it failed');
  expect(begun).toEqual([1, 2, 3]);

  for (const { number, resolve } of ends) resolve(number);
  expect(await Promise.all([results[0], ...results.slice(2)])).toEqual([1, 3, 4, 5]);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(await inTurn(() => Promise.resolve(6))).toBe(6);
});
