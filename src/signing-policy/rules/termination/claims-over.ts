import type { ClaimsEvidence } from '../../evidence.ts';
import { type Judged, requireJust } from '../../judged.ts';

/** Throws while holders may still claim: what is left is theirs until all have, or their time is over. */
export function requireClaimsOver({ slot }: Pick<Judged, 'slot'>, { circulating, overFromSlot }: ClaimsEvidence): void {
  requireJust(circulating === 0n || slot >= overFromSlot, `holders of ${circulating} tokens may still claim`);
}
