import type { PurchaseTerms } from '../../../proposals/rules/effect.ts';
import type { ExecutionEvidence } from '../../evidence.ts';
import { requireAssetsGained, requireInputsAtOrOfWallets, requireLovelaceLostAtMost } from '../../flows.ts';
import { type Judged, requireJust } from '../../judged.ts';

/** The vault gets the bought asset for its price and the fee. The rest is the seller's, who signs it. */
export function judgePurchase(judged: Judged, { vault, marketValue }: ExecutionEvidence, terms: PurchaseTerms): void {
  const { policyId, assetNameHex, quantity, price } = terms;
  requireJust(price !== null, 'its price is not decided');
  // As in a sale.
  requireJust(marketValue === null || price <= marketValue * 2n, 'it costs more than twice what the market takes');
  requireInputsAtOrOfWallets(judged, [vault.custody]);
  requireAssetsGained(judged, [vault.custody], new Map([[policyId + assetNameHex, quantity]]));
  requireLovelaceLostAtMost(judged, [vault.custody], price + judged.transaction.fee);
}
