import { expect, test } from '@jest/globals';
import { decodeRow, decodeRows, type UnreadableRow } from './decode-rows.ts';

test('a row that cannot be decoded is reported by its table and id, and stops no other row', () => {
  const bad: [UnreadableRow, string][] = [];
  const rows = ['1', '2', 'none', '4'].map((amount, index) => ({ id: `row-${index}`, amount }));
  const decode = ({ id, amount }: (typeof rows)[number]) => decodeRow('stakes', id, () => BigInt(amount));
  expect(decodeRows(rows, decode, (error, { amount }) => bad.push([error, amount]))).toEqual([1n, 2n, 4n]);
  const error = { name: 'UnreadableRow', table: 'stakes', id: 'row-2', cause: expect.any(SyntaxError) };
  expect(bad).toEqual([[expect.objectContaining(error), 'none']]);
});

test('an error that is not about a row stops the loop', () => {
  const decode = () => {
    throw new RangeError('a defect');
  };
  expect(() => decodeRows(['any'], decode, () => undefined)).toThrow(RangeError);
});
