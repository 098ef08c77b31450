import type { VoteEvidence } from '../evidence.ts';
import type { EvidenceContext } from './evidence-context.ts';

/** Slots of the shortest phases that a proposal may have. */
export async function shortestPhases({
  durationBounds: { voting, lock },
  networkState,
}: Pick<EvidenceContext, 'durationBounds' | 'networkState'>): Promise<VoteEvidence['shortest']> {
  const { anchor } = await networkState();
  const slotsOf = (seconds: number) => Math.floor((seconds * 1000) / anchor.slotLengthMs);
  return { voting: slotsOf(voting.min), lock: slotsOf(lock.min) };
}
