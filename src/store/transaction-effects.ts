import { depositKinds, isOpen, type TransactionKind } from '../domain/transaction-state.ts';
import { vaultWorkflowId } from '../temporal/workflow-ids.ts';
import { type ChainTransaction, changeState, releaseLeases, type StateChange } from './chain-transactions.ts';
import { executeEffects } from '../effects/landing.ts';
import { anchorEffects } from './anchor-effects.ts';
import type { Effects, Scene } from './effects.ts';
import { addAssetEffects, investEffects, removeAssetEffects } from './deposit-effects.ts';
import { deliverEffects, refundEffects, settlementEffects } from './settlement-effects.ts';
import { stakeEffects, unstakeEffects } from './stake-effects.ts';
import { returnUnsolicitedEffects } from './unsolicited-effects.ts';
import { activateVault, vaultAwaitsDeposits } from './vault-progress.ts';
import { setCreationConfirmed } from './vaults.ts';
import { noticeWorkflow } from './workflow-notices.ts';

const nothing = (): Promise<void> => Promise.resolve();

const creationEffects: Effects = {
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

const effects: Record<TransactionKind, Effects> = {
  create_vault: creationEffects,
  add_asset: addAssetEffects,
  remove_asset: removeAssetEffects,
  invest: investEffects,
  stake: stakeEffects,
  unstake: unstakeEffects,
  mint: settlementEffects,
  deliver: deliverEffects,
  liquidity: settlementEffects,
  refund: refundEffects,
  fan_out: { confirmed: nothing, rolledBack: nothing, ended: nothing },
  anchor: anchorEffects,
  execute: executeEffects,
  return_unsolicited: returnUnsolicitedEffects,
};

/**
 * Moves a transaction to another state with everything that follows from it: rows, events, freed inputs, and the hint to
 * whoever waits for it. State and effects change together or not at all.
 */
export async function moveTransaction(scene: Scene, transaction: ChainTransaction, change: StateChange): Promise<void> {
  await changeState(scene.tx, transaction, change, scene.now);
  await causeEffects(scene, { ...transaction, blockHeight: change.block?.height ?? null }, change);
  await tellWaiting(scene, transaction, change);
}

async function causeEffects(
  scene: Scene,
  transaction: ChainTransaction,
  { to, direction }: StateChange,
): Promise<void> {
  const { confirmed, final, rolledBack, ended } = effects[transaction.kind];
  if (to === 'confirmed') await confirmed(scene, transaction);
  if (to === 'final') await final?.(scene, transaction);
  if (direction === 'rollback') await rolledBack(scene, transaction);
  if (to === 'expired' || to === 'failed') {
    await ended(scene, transaction, to);
    await releaseLeases(scene.tx, transaction.id);
  }
}

async function tellWaiting(
  { tx, ids }: Scene,
  { kind, ownerWorkflow, vaultId }: ChainTransaction,
  { to }: StateChange,
): Promise<void> {
  // A lane sends and builds anew; while its many anchors land it has nothing to do.
  if (kind === 'anchor' && to !== 'expired' && to !== 'failed') return;
  const signal = { kind: 'signal', signal: 'transactionChanged' } as const;
  await noticeWorkflow(tx, ids, ownerWorkflow, signal);
  if (vaultId === null || isOpen(to) || !depositKinds.some((deposit) => deposit === kind)) return;
  // The last of its deposits to end is what it waits for.
  if (await vaultAwaitsDeposits(tx, vaultId)) await noticeWorkflow(tx, ids, vaultWorkflowId(vaultId), signal);
}
