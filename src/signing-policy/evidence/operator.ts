import { requireJust } from '../judged.ts';
import { findAnchoredBatch } from '../../anchoring/queries/anchor-batches.ts';
import type { Gather } from './evidence-context.ts';

export const gatherAnchor: Gather<'anchor'> = async ({ db }, recorded) => {
  const batch = await findAnchoredBatch(db, recorded.id);
  requireJust(batch !== null, 'it carries no batch');
  return batch;
};

/** What the operator pays to itself, or never signs, needs nothing. */
export const gatherNothing = (): Promise<object> => Promise.resolve({});
