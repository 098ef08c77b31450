import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { blake2b256 } from '../chain/blake2b.ts';
import { merkleTree } from '../domain/anchor/merkle.ts';

/** Hashing so many leaves holds everything else up for some 8 ms. A power of two, so that every chunk is a whole subtree. */
const CHUNK = 256;

/**
 * The root over the leaves of a proposal's live votes, sorted as hex: the tree of `merkleTree`, computed with room for others
 * in between. Null without votes. Throws RangeError for no hex.
 */
export async function votesMerkleRoot(sortedLeaves: readonly string[]): Promise<string | null> {
  if (sortedLeaves.length === 0) return null;
  const subtrees: string[] = [];
  for (let from = 0; from < sortedLeaves.length; from += CHUNK) {
    subtrees.push(merkleTree(blake2b256, sortedLeaves.slice(from, from + CHUNK)).root);
    await turnOfOthers();
  }
  return merkleTree(blake2b256, subtrees).root;
}
