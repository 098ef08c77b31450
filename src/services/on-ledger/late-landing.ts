import { hasEnded, isOnLedger } from '../../domain/transaction/transaction-state.ts';
import type { FollowedBlock } from '../../store/blocks.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import { endHold } from '../vaults/holds.ts';
import type { OnQuarantine } from './quarantine.ts';
import { recordMove } from './transactions.ts';

/** Records that a transaction is in a block, whatever its state: what lands counts, also after it was given up (design D45). */
export async function recordLanding(
  context: TransactionContext,
  transaction: ChainTransaction,
  { height, hash }: FollowedBlock,
  onQuarantine: OnQuarantine,
): Promise<void> {
  if (transaction.kind === 'mint') await failOtherMints(context, transaction, onQuarantine);
  await recordMove(context, transaction, { to: 'confirmed', block: { height, hash } }, onQuarantine);
  await endHoldForFailures(context, transaction);
}

/** The transactions of a vault's own workflow land again. */
async function endHoldForFailures(
  context: TransactionContext,
  { vaultId, ownerWorkflow }: ChainTransaction,
): Promise<void> {
  if (vaultId !== null && ownerWorkflow === vaultWorkflowId(vaultId))
    await endHold(context, vaultId, 'repeated_failures');
}

/** A mint and the one that replaced it spend the same input, so only one can land (design §5). */
async function failOtherMints(
  context: TransactionContext,
  { id, hash, vaultId }: ChainTransaction,
  onQuarantine: OnQuarantine,
): Promise<void> {
  if (vaultId === null) return;
  for (const other of await vaultTransactions(context.tx, vaultId, ['mint'])) {
    if (other.id === id || hasEnded(other.state) || isOnLedger(other.state)) continue;
    await recordMove(context, other, { to: 'failed', reason: `mint ${hash} has landed` }, onQuarantine);
  }
}
