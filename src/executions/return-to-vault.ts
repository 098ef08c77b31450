import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import { findPlan } from '../settlement/queries/settlements.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { resumeRefunds } from '../vaults/transitions.ts';

/**
 * Lets a deposit count that is confirmed after it was given up. Throws when the settlement of its vault was planned without it: an
 * operator decides. A failed vault that has ended returns it.
 */
export async function returnToVault(context: TransactionContext, { vaultId, hash }: ChainTransaction): Promise<void> {
  if (vaultId === null) return;
  if ((await findPlan(context.tx, vaultId)) !== null)
    throw new Error(`deposit ${hash} landed after the settlement of vault ${vaultId} was planned`);
  await resumeRefunds(context, vaultId);
}
