import { expect, test } from '@jest/globals';
import { blake2b256 } from '../chain/blake2b.ts';
import { leafOf, merkleTree } from '../domain/anchor/merkle.ts';
import { createBatchPaths, type LeafRange } from './batch-paths.ts';

test.each([1, 2, 63, 64, 65, 129, 200, 1_000])(
  'the paths of a batch of %d facts are those of the whole tree, which is hashed once',
  async (size) => {
    const leaves = Array.from({ length: size }, (_, number) => leafOf(blake2b256, `fact ${number}`));
    const ranges: (LeafRange | undefined)[] = [];
    const paths = createBatchPaths((_batchId, range) => {
      ranges.push(range);
      return Promise.resolve(range ? leaves.slice(range.first, range.first + range.count) : leaves);
    });
    const tree = merkleTree(blake2b256, leaves);
    for (const position of new Set([0, 1, 63, 64, 65, size - 1].filter((place) => place < size)))
      expect(await paths('batch', position)).toEqual(tree.pathOf(position));
    expect(ranges.filter((range) => range === undefined)).toHaveLength(1);
  },
);

test('a batch whose leaves could not be read is read again', async () => {
  let fails = true;
  const paths = createBatchPaths(() =>
    fails ? Promise.reject(new Error('busy')) : Promise.resolve(['ab'.repeat(32)]),
  );
  await expect(paths('batch', 0)).rejects.toThrow('busy');
  fails = false;
  expect(await paths('batch', 0)).toEqual([]);
});
