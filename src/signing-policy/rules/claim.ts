import type { ClaimEvidence, OfSettledVault } from '../evidence.ts';
import {
  gainOf,
  requireAssetsGained,
  requireInputsAtOrOfWallets,
  requireLovelaceLostAtMost,
  requireOutputsAt,
  assertAllowed,
  lifetime,
  type Rule,
} from '../policy.ts';

/**
 * A holder returns tokens to the pot and takes their share: no more than was recorded, and no more than what the pot on the ledger gives
 * for them. The rest of the transaction is the holder's, who signs it.
 */
export const claim: Rule<ClaimEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  evaluate(request, { vault, ftUnit, amount, payout, pot, supply }) {
    const { operator, spent } = request;
    const isOwn = spent.every(({ address }) => address === operator || address === vault.claims);
    requireInputsAtOrOfWallets(request, isOwn ? [vault.claims, operator] : [vault.claims]);
    requireAssetsGained(request, [vault.claims], new Map([[ftUnit, amount]]));
    requireLovelaceLostAtMost(request, [vault.claims], payout);
    assertAllowed(
      isWithinShare({ amount, payout, pot, supply }),
      `${payout} lovelace are more than the share of ${amount} tokens`,
    );
    // Nobody else signs for what the operator claims itself.
    if (isOwn) requireOutputsAt(request, [vault.claims, operator]);
    else assertAllowed(gainOf(request, [operator]).lovelace === 0n, 'the operator pays or gains');
  },
};

/** Whether a payout is no more than what a pot gives for so many tokens, while there are any in circulation. */
export function isWithinShare({ amount, payout, pot, supply }: Omit<ClaimEvidence, keyof OfSettledVault>): boolean {
  const circulating = supply - pot.redeemed;
  return circulating > 0n && payout * circulating <= amount * pot.lovelace;
}
