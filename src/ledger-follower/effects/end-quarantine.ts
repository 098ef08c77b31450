import type { TransactionHead } from '../../transactions/queries/chain-transactions.ts';
import { deleteQuarantined, isVaultInQuarantine, type QuarantineEntry } from '../queries/quarantine.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { signalTransactionChanged } from '../../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../../platform/temporal/workflow-ids.ts';
import { endHold } from '../../vaults/holds.ts';

/** Removes entries of a transaction. Ends the hold of a vault of which nothing is in quarantine any more; its workflow continues. */
export async function endQuarantine(
  context: TransactionContext,
  { vaultId }: TransactionHead,
  entries: readonly QuarantineEntry[],
): Promise<void> {
  await deleteQuarantined(
    context.tx,
    entries.map(({ id }) => id),
  );
  if (vaultId === null || (await isVaultInQuarantine(context.tx, vaultId))) return;
  await endHold(context, vaultId, 'quarantined');
  await signalTransactionChanged(context, vaultWorkflowId(vaultId));
}
