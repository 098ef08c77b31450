import type { BaseUnits } from '../../platform/units/money.ts';
import type { VaultTerms } from './vault.ts';

/** What decides which tokens govern a vault. */
interface GoverningTokens {
  readonly claimsOpen: boolean;
  readonly terms: Pick<VaultTerms, 'ftSupply'>;
}

/**
 * The tokens of which the shares count that holders need to propose, to open a vote, and to cosign: the whole supply or, while they claim,
 * what they have not returned. Otherwise those who are left could sell nothing. `circulating` is null where it is not counted.
 */
export function governingSupply(
  { claimsOpen, terms: { ftSupply } }: GoverningTokens,
  circulating: BaseUnits | null,
): BaseUnits {
  // Of nothing, everybody would have every share.
  return claimsOpen && circulating ? circulating : ftSupply;
}
