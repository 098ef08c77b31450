import { expect, test } from '@jest/globals';
import { blake2b256 } from '../cardano/blake2b.ts';
import { leafOf, merkleTree, SUBTREE_LEAVES } from './rules/merkle.ts';
import { createBatchPaths } from './batch-paths.ts';

test.each([1, 2, 63, 64, 65, 129, 200, 1_000])(
  'the paths of a batch of %d facts are those of the whole tree, which is hashed once, and not at all if it is one subtree',
  async (size) => {
    const leaves = Array.from({ length: size }, (_, number) => leafOf(blake2b256, `fact ${number}`));
    let reads = 0;
    const paths = createBatchPaths(() => {
      reads += 1;
      return Promise.resolve(leaves);
    });
    const tree = merkleTree(blake2b256, leaves);
    for (const position of new Set([0, 1, 63, 64, 65, size - 1].filter((place) => place < size))) {
      const first = position - (position % SUBTREE_LEAVES);
      const subtree = leaves.slice(first, first + SUBTREE_LEAVES);
      expect(await paths({ batchId: 'batch', position, subtree })).toEqual(tree.pathOf(position));
    }
    expect(reads).toBe(size < SUBTREE_LEAVES ? 0 : 1);
  },
);

test('a batch whose leaves could not be read is read again', async () => {
  let fails = true;
  const leaves = Array.from({ length: SUBTREE_LEAVES }, () => 'ab'.repeat(32));
  const paths = createBatchPaths(() => (fails ? Promise.reject(new Error('busy')) : Promise.resolve(leaves)));
  const place = { batchId: 'batch', position: 0, subtree: leaves };
  await expect(paths(place)).rejects.toThrow('busy');
  fails = false;
  expect(await paths(place)).toEqual(merkleTree(blake2b256, leaves).pathOf(0));
});
