import { expect, test } from '@jest/globals';
import { blake2b256 } from '../cardano/blake2b.ts';
import { leafOf, merkleTree } from './rules/merkle.ts';
import { votesMerkleRoot } from './votes-root.ts';

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, number) => leafOf(blake2b256, `vote ${number}`)).sort();

test.each([1, 2, 3, 511, 512, 513, 1024, 1025, 1500, 2049])(
  'the root of %i votes equals the root of one tree over all of them',
  async (count) => {
    const leaves = leavesOf(count);
    expect(await votesMerkleRoot(leaves)).toBe(merkleTree(blake2b256, leaves).root);
  },
);

test('no votes give no root', async () => {
  expect(await votesMerkleRoot([])).toBeNull();
});

test('hashing many votes does not block the event loop', async () => {
  const leaves = leavesOf(20_000);
  let turns = 0;
  const other = setInterval(() => (turns += 1), 1);
  await votesMerkleRoot(leaves);
  clearInterval(other);
  expect(turns).toBeGreaterThan(5);
});
