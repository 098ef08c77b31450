import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

/** Two files, from before this rule; databases know them by these names. */
const usedTwice = ['0017'];

test('a number of a migration is used once, so that the order of the files is the order in which they were written', async () => {
  const files = await readdir(new URL('./migrations/', import.meta.url));
  const byNumber = Map.groupBy(files, (file) => /^\d{4}(?=_\w+\.ts$)/.exec(file)?.[0] ?? `no number: ${file}`);
  const shared = [...byNumber].filter(([, { length }]) => length > 1).map(([number]) => number);

  expect(shared.sort()).toEqual(usedTwice);
  expect([...byNumber.keys()].filter((number) => number.startsWith('no number'))).toEqual([]);
});
