import { requireJust } from '../../../justification/judged.ts';
import { sumOf } from '../../../justification/flows.ts';
import { findClaimOfTransaction } from '../../../store/claims.ts';
import { heldAt } from '../../ledger/held-at.ts';
import type { Gather } from './evidence-context.ts';
import { gatherSettledVault } from './vault-evidence.ts';

/** The pot is what lies at the claims address on the ledger, whatever is counted. A backend that lags behind is asked again. */
export const gatherClaim: Gather<'claim'> = async (context, recorded) => {
  const { row, vault, ftUnit } = await gatherSettledVault(context, recorded);
  const claim = await findClaimOfTransaction(context.db, recorded.id);
  requireJust(claim !== null && claim.vaultId === row.id, 'no claim of its vault is recorded with it');
  const held = sumOf(await heldAt(context, row.id, vault.claims));
  const pot = { lovelace: held.lovelace, redeemed: held.assets.get(ftUnit) ?? 0n };
  return { vault, ftUnit, amount: claim.amount, payout: claim.payout, pot, supply: row.terms.ftSupply };
};
