import type { Instant } from '../../platform/units/instant.ts';
import type { Pot } from './pot.ts';
import type { TerminationEnd } from './termination-end.ts';

/** What decides whether the claims on a vault are over. */
export interface ClaimsSnapshot {
  readonly claimDeadline: Instant | null;
  readonly pot: Pot;
  /** Whether the vault still has an asset that its holders can sell. */
  readonly hasAssets: boolean;
  /** Whether a wallet is named for the assets that are left. */
  readonly namesAssetRecipient: boolean;
}

/** Why the claims on a vault are over: their deadline has passed, or holders have nothing left to receive or to sell. Null before. */
export function endOfClaims(snapshot: ClaimsSnapshot, now: Instant): TerminationEnd | null {
  const { claimDeadline, pot, hasAssets, namesAssetRecipient } = snapshot;
  if (claimDeadline !== null && claimDeadline <= now) return 'claim_deadline';
  // The assets belong to those who hold tokens: a recipient is named for what they leave.
  const isOpen = pot.circulating > 0n ? pot.lovelace > 0n || hasAssets : hasAssets && !namesAssetRecipient;
  return isOpen ? null : 'nothing_left';
}
