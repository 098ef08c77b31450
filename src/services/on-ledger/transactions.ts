import { depositKinds, isOpen, type TransactionKind } from '../../domain/transaction/transaction-state.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { changeTransactionState, type StateChange } from '../../store/transaction-changes.ts';
import { releaseLeases } from '../../store/utxo-leases.ts';
import { setCreationConfirmed } from '../../store/vault-changes.ts';
import { executeConsequences } from './executions.ts';
import { anchorConsequences } from './anchors.ts';
import type { Consequences } from './consequences.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { addAssetConsequences, investConsequences, removeAssetConsequences } from './deposits.ts';
import { deliverConsequences, refundConsequences, settlementConsequences } from './settlement.ts';
import { stakeConsequences, unstakeConsequences } from './stakes.ts';
import { returnUnsolicitedConsequences } from './unsolicited.ts';
import { activateVault } from '../vaults/transitions.ts';
import { vaultAwaitsDeposits } from '../vaults/awaited-deposits.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';

const nothing = (): Promise<void> => Promise.resolve();

const creationConsequences: Consequences = {
  async confirmed(scene, { vaultId }) {
    if (vaultId === null) return;
    await setCreationConfirmed(scene.tx, vaultId, scene.now);
    await activateVault(scene, vaultId);
  },
  async rolledBack({ tx }, { vaultId }) {
    if (vaultId !== null) await setCreationConfirmed(tx, vaultId, null);
  },
  ended: nothing,
};

const consequences: Record<TransactionKind, Consequences> = {
  create_vault: creationConsequences,
  add_asset: addAssetConsequences,
  remove_asset: removeAssetConsequences,
  invest: investConsequences,
  stake: stakeConsequences,
  unstake: unstakeConsequences,
  mint: settlementConsequences,
  deliver: deliverConsequences,
  liquidity: settlementConsequences,
  refund: refundConsequences,
  fan_out: { confirmed: nothing, rolledBack: nothing, ended: nothing },
  anchor: anchorConsequences,
  execute: executeConsequences,
  return_unsolicited: returnUnsolicitedConsequences,
};

/**
 * Moves a transaction to another state with everything that follows from it: rows, events, freed inputs, and the hint to
 * whoever waits for it. State and consequences change together or not at all.
 */
export async function moveTransaction(
  scene: TransactionContext,
  transaction: ChainTransaction,
  change: StateChange,
): Promise<void> {
  await changeTransactionState(scene.tx, transaction, change, scene.now);
  await cause(scene, { ...transaction, blockHeight: change.block?.height ?? null }, change);
  await tellWaiting(scene, transaction, change);
}

async function cause(
  scene: TransactionContext,
  transaction: ChainTransaction,
  { to, direction }: StateChange,
): Promise<void> {
  const { confirmed, final, rolledBack, ended } = consequences[transaction.kind];
  if (to === 'confirmed') await confirmed(scene, transaction);
  if (to === 'final') await final?.(scene, transaction);
  if (direction === 'rollback') await rolledBack(scene, transaction);
  if (to === 'expired' || to === 'failed') {
    await ended(scene, transaction, to);
    await releaseLeases(scene.tx, transaction.id);
  }
}

async function tellWaiting(
  context: TransactionContext,
  { kind, ownerWorkflow, vaultId }: ChainTransaction,
  { to }: StateChange,
): Promise<void> {
  const { tx } = context;
  // A lane sends and builds anew; while its many anchors land it has nothing to do.
  if (kind === 'anchor' && to !== 'expired' && to !== 'failed') return;
  const signal = { kind: 'signal', signal: 'transactionChanged' } as const;
  await enqueueWorkflowMessage(context, ownerWorkflow, signal);
  if (vaultId === null || isOpen(to) || !depositKinds.some((deposit) => deposit === kind)) return;
  // The last of its deposits to end is what it waits for.
  if (await vaultAwaitsDeposits(tx, vaultId)) await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), signal);
}
