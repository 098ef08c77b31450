import { expect, test } from '@jest/globals';
import { blake2b256 } from '../cardano/blake2b.ts';
import { leafOf, merkleTree } from './rules/merkle.ts';
import { createBatchPaths, largeMerkleTree } from './facts.ts';

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, number) => leafOf(blake2b256, `fact ${number}`)).sort();

test.each([1, 2, 3, 63, 64, 65, 129, 513, 1_000])(
  'the root and the paths of %d facts are those of one tree over all of them, and a batch is read once',
  async (size) => {
    const leaves = leavesOf(size);
    let reads = 0;
    const paths = createBatchPaths(() => {
      reads += 1;
      return Promise.resolve(leaves);
    });
    const tree = merkleTree(blake2b256, leaves);
    expect((await largeMerkleTree(leaves)).root).toBe(tree.root);
    for (const position of new Set([0, 1, 63, 64, 65, size - 1].filter((place) => place < size)))
      expect(await paths({ batchId: 'batch', position })).toEqual(tree.pathOf(position));
    await expect(paths({ batchId: 'batch', position: size })).rejects.toThrow(RangeError);
    expect(reads).toBe(1);
  },
);

test('a batch whose leaves could not be read is read again', async () => {
  let fails = true;
  const leaves = leavesOf(64);
  const paths = createBatchPaths(() => (fails ? Promise.reject(new Error('busy')) : Promise.resolve(leaves)));
  const place = { batchId: 'batch', position: 0 };
  await expect(paths(place)).rejects.toThrow('busy');
  fails = false;
  expect(await paths(place)).toEqual(merkleTree(blake2b256, leaves).pathOf(0));
});

test('hashing many votes does not block the event loop', async () => {
  const leaves = leavesOf(20_000);
  let turns = 0;
  const other = setInterval(() => (turns += 1), 1);
  await largeMerkleTree(leaves);
  clearInterval(other);
  expect(turns).toBeGreaterThan(5);
});
