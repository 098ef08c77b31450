import { type Instant, secondsAfter } from '../../platform/units/instant.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';

/** When a settled vault ends by its creator's will (design D30); null for one that only its holders or the market end. */
export function programmedEnd(
  { termination }: Pick<VaultTerms, 'termination'>,
  lockedAt: Instant | null,
): Instant | null {
  return termination.type === 'PROGRAMMED' && lockedAt !== null ? secondsAfter(lockedAt, termination.duration) : null;
}
