import { expect, test } from '@jest/globals';
import { deleteInBatches } from './delete-old-rows.ts';

/** Rows of which each portion deletes at most 1,000; `seconds` of the ten that there are pass with each. */
async function rowsLeft(rows: number, seconds: number): Promise<number> {
  let [left, passed] = [rows, 0];
  const deletePortion = () => {
    const deleted = Math.min(left, 1_000);
    left -= deleted;
    passed += seconds;
    return Promise.resolve(deleted);
  };
  await deleteInBatches(deletePortion, () => passed >= 10);
  return left;
}

test('a table that grows faster than one portion for each sweep is emptied all the same, within the time that there is', async () => {
  expect([await rowsLeft(0, 1), await rowsLeft(10, 1), await rowsLeft(9_500, 1)]).toEqual([0, 0, 0]);
  expect(await rowsLeft(50_000, 1)).toBe(40_000);
  expect(await rowsLeft(50_000, 20)).toBe(49_000);
});
