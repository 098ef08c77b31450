import { requireJust } from '../judged.ts';
import { sumOf } from '../flows.ts';
import { isWithinShare } from '../rules/claim.ts';
import { findClaimOfTransaction } from '../../termination/queries/claims.ts';
import { outputsMissing, seenAt } from '../../ledger-follower/held-at.ts';
import type { Gather } from './evidence-context.ts';
import { mintedSupply } from './landed-mint.ts';
import { gatherSettledVault } from './settled-vault.ts';

/**
 * The supply is what was minted on the ledger, by whatever mint, and the pot what lies there at the claims address, whatever is counted. Where that is too little and outputs are missing, the
 * backend lags behind and is asked again: it may hide the very output that the claim spends. What is hidden only makes a share smaller.
 */
export const gatherClaim: Gather<'claim'> = async (context, recorded) => {
  const settled = await gatherSettledVault(context, recorded);
  const { row, vault, ftUnit } = settled;
  const claim = await findClaimOfTransaction(context.db, recorded.id);
  requireJust(claim !== null && claim.vaultId === row.id, 'no claim of its vault is recorded with it');
  const { seen, unseen } = await seenAt(context, row.id, vault.claims);
  const held = sumOf(seen);
  const pot = { lovelace: held.lovelace, redeemed: held.assets.get(ftUnit) ?? 0n };
  const supply = await mintedSupply(context, settled);
  const share = { amount: claim.amount, payout: claim.payout, pot, supply };
  if (unseen.length > 0 && !isWithinShare(share)) throw outputsMissing(vault.claims, unseen);
  return { vault, ftUnit, ...share };
};
