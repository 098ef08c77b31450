import { blake2b256 } from '../cardano/blake2b.ts';
import { merkleTree } from './rules/merkle.ts';
import { subtreeRoots } from './subtrees.ts';

/**
 * Merkle root over the leaves of a proposal's votes that were not revoked, sorted as hex. The same root as `merkleTree` computes, but other
 * work of the process can run in between. Null without votes. Throws RangeError for text that is not hex.
 */
export async function votesMerkleRoot(sortedLeaves: readonly string[]): Promise<string | null> {
  if (sortedLeaves.length === 0) return null;
  return merkleTree(blake2b256, await subtreeRoots(sortedLeaves)).root;
}
