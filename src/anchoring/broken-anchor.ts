import type { AnchorBatch } from './queries/anchor-batches.ts';

/** Whether the anchor can no longer land, so that it and all after it in its lane have to be rebuilt. */
export function isBroken({ transaction: { state } }: AnchorBatch): boolean {
  return state === 'expired' || state === 'failed';
}
