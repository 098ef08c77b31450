import { expect, test } from '@jest/globals';
import { foundRow, readEach, type UnreadableRow } from './found-row.ts';

test('a row that cannot be read is left out and reported by its table and id, and the others are read', () => {
  const reported: UnreadableRow[] = [];
  const rows = ['1', '2', 'none', '4'].map((amount, index) => ({ id: `row-${index}`, amount }));
  const found = rows.map((row) => foundRow('votes', row, ({ amount }) => BigInt(amount)));
  expect(readEach(found, (row) => reported.push(row))).toEqual([1n, 2n, 4n]);
  expect(reported).toEqual([
    expect.objectContaining({ name: 'UnreadableRow', table: 'votes', id: 'row-2', cause: expect.any(SyntaxError) }),
  ]);
});
