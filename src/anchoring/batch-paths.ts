import { blake2b256 } from '../cardano/blake2b.ts';
import { inclusionPath, type PathStep, SUBTREE_LEAVES } from './rules/merkle.ts';
import { forgetOldest } from '../platform/async/forget-oldest.ts';
import { subtreeRoots } from './subtrees.ts';

/** Reads all leaves of a batch in order. */
export type ReadLeaves = (batchId: string) => Promise<readonly string[]>;

/** Where a fact is in its batch. */
interface BatchPlace {
  readonly batchId: string;
  readonly position: number;
  /** The leaves of its subtree in order. */
  readonly subtree: readonly string[];
}

/** The path of a fact, from its leaf to the root of its batch. */
export type BatchPaths = (place: BatchPlace) => Promise<readonly PathStep[]>;

/** Each has the roots of at most 79 subtrees, some 5 kB; the longest-known are forgotten first. */
const MAX_BATCHES = 1_000;

/** Hashes a whole batch for the first path in it only; a batch never changes, so the roots of its subtrees are kept. */
export function createBatchPaths(readLeaves: ReadLeaves): BatchPaths {
  const known = new Map<string, Promise<readonly string[]>>();
  const rootsOf = (batchId: string) => {
    const roots = known.get(batchId) ?? readLeaves(batchId).then(subtreeRoots);
    known.set(batchId, roots);
    forgetOldest(known, MAX_BATCHES);
    roots.catch(() => known.delete(batchId));
    return roots;
  };
  return async ({ batchId, position, subtree }) => {
    const inSubtree = inclusionPath(blake2b256, subtree, position % SUBTREE_LEAVES);
    const number = Math.floor(position / SUBTREE_LEAVES);
    // A first subtree that is not full has all leaves of the batch.
    if (number === 0 && subtree.length < SUBTREE_LEAVES) return inSubtree;
    return [...inSubtree, ...inclusionPath(blake2b256, await rootsOf(batchId), number)];
  };
}
