import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { blake2b256 } from '../chain/blake2b.ts';
import { merkleTree } from '../domain/anchor/merkle.ts';

/** Hashing so many leaves blocks the event loop for about 8 ms. A power of two, so that every chunk is a complete subtree. */
const CHUNK = 256;

/**
 * Merkle root over the leaves of a proposal's votes that were not revoked, sorted as hex. The same root as `merkleTree` computes, but other
 * work of the process can run in between. Null without votes. Throws RangeError for text that is not hex.
 */
export async function votesMerkleRoot(sortedLeaves: readonly string[]): Promise<string | null> {
  if (sortedLeaves.length === 0) return null;
  const subtrees: string[] = [];
  for (let from = 0; from < sortedLeaves.length; from += CHUNK) {
    subtrees.push(merkleTree(blake2b256, sortedLeaves.slice(from, from + CHUNK)).root);
    await yieldToEventLoop();
  }
  return merkleTree(blake2b256, subtrees).root;
}
