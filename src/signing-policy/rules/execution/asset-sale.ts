import type { SaleTerms } from '../../../proposals/rules/effect.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import { negated, requireAssetsGained, requireInputsAtOrOfWallets, requireLovelaceLostAtMost } from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';

/** The vault gives the sold assets, and has the price and nothing less afterwards. The rest is the buyer's, who signs it. */
export function judgeSale(
  judged: Judged,
  { vault, assets, claimsOpen, marketValue }: ExecutionEvidence,
  { price }: SaleTerms,
): void {
  requireJust(price !== null, 'its price is not decided');
  // The market moves between the request and the signature: half of its price is no thief's.
  requireJust(marketValue === null || price * 2n >= marketValue, 'it brings less than half of what the market gives');
  const places = claimsOpen ? [vault.custody, vault.claims] : [vault.custody];
  requireInputsAtOrOfWallets(judged, [vault.custody]);
  requireAssetsGained(judged, places, negated(assets));
  requireLovelaceLostAtMost(judged, places, 0n - price);
}
