import { hasEnded, isOnLedger } from '../../transactions/rules.ts';
import type { FollowedBlock } from '../queries/blocks.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { vaultTransactions } from '../../transactions/queries/listed-transactions.ts';
import { lockVaultRow } from '../../vaults/queries/vaults.ts';
import { isStepOfVault } from '../../transactions/record-transaction.ts';
import { endHold } from '../../vaults/holds.ts';
import { type ConfirmationContext, failIfNotAsRecorded } from '../verify-confirmed.ts';
import type { Move } from '../effects.ts';

/**
 * Records that a transaction is in a block, whatever its state, and returns whether it counts: what is confirmed does, also after it was given up
 * (design D45), unless it does something else than its row says (design D44).
 */
export async function recordConfirmation(
  context: TransactionContext,
  transaction: ChainTransaction,
  { height, hash }: FollowedBlock,
  confirmation: ConfirmationContext,
): Promise<boolean> {
  if (await failIfNotAsRecorded(context, transaction, confirmation)) return false;
  const { move } = confirmation;
  if (transaction.kind === 'mint') await failOpenMints(context, transaction, move);
  await move(context, transaction, { to: 'confirmed', block: { height, hash } });
  // The steps of the vault are confirmed again.
  if (isStepOfVault(transaction)) await endHold(context, transaction.vaultId, 'repeated_failures');
  return true;
}

/**
 * Gives up the other mints of a vault that are not on the ledger, in favour of one that is, or that is sent again. They usually
 * spend a common input; one that is confirmed nevertheless is recorded, and its effects are quarantined (mint.ts).
 */
export async function failOpenMints(
  context: TransactionContext,
  { id, hash, vaultId }: ChainTransaction,
  move: Move,
): Promise<void> {
  if (vaultId === null) return;
  // Held by who records a new mint, too (prepare-mint.ts).
  await lockVaultRow(context.tx, vaultId);
  for (const other of await vaultTransactions(context.tx, vaultId, ['mint'])) {
    if (other.id === id || hasEnded(other.state) || isOnLedger(other.state)) continue;
    await move(context, other, { to: 'failed', reason: `mint ${hash} has landed` });
  }
}
