import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { blake2b256 } from '../cardano/blake2b.ts';
import { merkleTree, SUBTREE_LEAVES } from './rules/merkle.ts';

/**
 * The roots of the subtrees over groups of leaves, in their order; a tree over them has the root of the whole tree. Other work of the
 * process can run in between. Throws RangeError for text that is not hex.
 */
export async function subtreeRoots(leaves: readonly string[]): Promise<string[]> {
  const roots: string[] = [];
  for (let from = 0; from < leaves.length; from += SUBTREE_LEAVES) {
    roots.push(merkleTree(blake2b256, leaves.slice(from, from + SUBTREE_LEAVES)).root);
    await yieldToEventLoop();
  }
  return roots;
}
