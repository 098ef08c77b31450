import { isOutgrown } from '../rules/claims/claim.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { findClaimOfTransaction } from '../queries/claims.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { findTermination } from '../queries/terminations.ts';

/**
 * Throws TRANSACTION_EXPIRED for a claim whose holder would sign a part of their share away: since it was built, the price of a sale came
 * into the pot. Those who remain would get it.
 */
export async function requirePresentShare(tx: Transaction, transactionId: string): Promise<void> {
  const claim = await findClaimOfTransaction(tx, transactionId);
  const termination = claim && (await findTermination(tx, claim.vaultId));
  if (!termination || !isOutgrown(claim, termination.pot)) return;
  throw new ServiceError('TRANSACTION_EXPIRED', { reason: 'the pot has more for these tokens now: claim again' });
}
