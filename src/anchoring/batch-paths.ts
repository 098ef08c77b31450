import { blake2b256 } from '../chain/blake2b.ts';
import { inclusionPath, type PathStep } from '../domain/anchor/merkle.ts';
import { forgetOldest } from '../domain/forget-oldest.ts';
import { SUBTREE_LEAVES, subtreeRoots } from './subtrees.ts';

/** Reads some leaves of a batch in order, all without a range. */
export type ReadLeaves = (batchId: string, range?: LeafRange) => Promise<readonly string[]>;

export interface LeafRange {
  readonly first: number;
  readonly count: number;
}

/** The path of a fact of a batch, by its position, from its leaf to the root. */
export type BatchPaths = (batchId: string, position: number) => Promise<readonly PathStep[]>;

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
  return async (batchId, position) => {
    const subtree = Math.floor(position / SUBTREE_LEAVES);
    const first = subtree * SUBTREE_LEAVES;
    const [roots, leaves] = await Promise.all([
      rootsOf(batchId),
      readLeaves(batchId, { first, count: SUBTREE_LEAVES }),
    ]);
    return [...inclusionPath(blake2b256, leaves, position - first), ...inclusionPath(blake2b256, roots, subtree)];
  };
}
