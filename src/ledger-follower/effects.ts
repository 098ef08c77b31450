import { anchorEffects } from '../anchoring/on-ledger.ts';
import { addAssetEffects, removeAssetEffects } from '../assets/on-ledger.ts';
import { executeEffects } from '../executions/on-ledger.ts';
import { investEffects, removeInvestmentEffects } from '../investments/on-ledger.ts';
import { type TransactionEffects, nothing } from './effects/transaction-effects.ts';
import { type OnQuarantine, quarantine, waitBehindQuarantine } from './quarantine.ts';
import { clearReturning, setReturned } from './queries/unsolicited.ts';
import { inSavepoint } from '../platform/database/statements.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { rotationWorkflowId, vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { signalTransactionChanged } from '../platform/temporal/workflow-outbox.ts';
import { openRotationId } from '../rotation/queries.ts';
import { isAwaitedByRotation } from '../rotation/rules.ts';
import { mintEffects, deliverEffects, refundEffects, settlementEffects } from '../settlement/on-ledger.ts';
import { lockDependents } from '../settlement/queries/outputs.ts';
import { stakeEffects, unstakeEffects } from '../staking/on-ledger.ts';
import {
  claimEffects,
  closeVaultEffects,
  gatherPotEffects,
  handOverEffects,
  payRemainderEffects,
} from '../termination/on-ledger.ts';
import { isTerminating } from '../termination/queries/terminations.ts';
import type { ChainTransaction, TransactionHead } from '../transactions/queries/transactions.ts';
import { changeTransactionState, type StateChange } from '../transactions/queries/changes.ts';
import { releaseLeases } from '../transactions/queries/utxo-leases.ts';
import { depositKinds, hasEnded, isOpen, type TransactionKind } from '../transactions/rules.ts';
import { vaultAwaitsDeposits } from '../vaults/transitions.ts';
import { creationEffects } from '../vaults/on-ledger.ts';

/** An unsolicited output is returned while the transaction that returns it is on the ledger. */
const returnUnsolicitedEffects: TransactionEffects = {
  confirmed: ({ tx, now }, { id }) => setReturned(tx, id, now),
  rolledBack: ({ tx }, { id }) => setReturned(tx, id, null),
  ended: ({ tx }, { id }) => clearReturning(tx, id),
};

const noEffects: TransactionEffects = { confirmed: nothing, rolledBack: nothing, ended: nothing };

const transactionEffects: Record<TransactionKind, TransactionEffects> = {
  create_vault: creationEffects,
  add_asset: addAssetEffects,
  remove_asset: removeAssetEffects,
  remove_investment: removeInvestmentEffects,
  invest: investEffects,
  stake: stakeEffects,
  unstake: unstakeEffects,
  mint: mintEffects,
  deliver: deliverEffects,
  liquidity: settlementEffects,
  refund: refundEffects,
  fan_out: noEffects,
  anchor: anchorEffects,
  execute: executeEffects,
  return_unsolicited: returnUnsolicitedEffects,
  gather_pot: gatherPotEffects,
  hand_over: handOverEffects,
  pay_remainder: payRemainderEffects,
  close_vault: closeVaultEffects,
  claim: claimEffects,
  // What is left to move is read from the ledger (services/rotations).
  move_custody: noEffects,
  move_kept: noEffects,
};

/**
 * Moves a transaction to another state with all its effects: rows, events, released inputs, and a signal to the workflows
 * that wait for it. State and effects change together or not at all, except that they wait behind those of the same
 * transaction that are in quarantine.
 */
export async function moveTransaction(
  context: TransactionContext,
  transaction: ChainTransaction,
  change: StateChange,
): Promise<void> {
  await moveWith(applyEffects, context, transaction, change);
}

/** Moves a transaction to another state and lets `apply` record what that causes. */
async function moveWith<Moved extends TransactionHead>(
  apply: (context: TransactionContext, transaction: Moved, change: StateChange) => Promise<void>,
  context: TransactionContext,
  transaction: Moved,
  change: StateChange,
): Promise<void> {
  await changeTransactionState(context, transaction, change);
  const confirmed = { ...transaction, blockHeight: change.block?.height ?? null };
  if (!(await waitBehindQuarantine(context, confirmed, change))) await apply(context, confirmed, change);
  await signalWorkflows(context, transaction, change);
}

/** Moves a transaction to another state: `moveTransaction`, or `recordMove` with its alarm. */
export type Move = (context: TransactionContext, transaction: ChainTransaction, change: StateChange) => Promise<void>;

/**
 * As `moveTransaction`, for what the ledger has decided: its state always changes. Effects that throw are undone alone,
 * and quarantined for an operator (design D45).
 */
export async function recordMove(
  context: TransactionContext,
  transaction: ChainTransaction,
  change: StateChange,
  onQuarantine: OnQuarantine,
): Promise<void> {
  const apply = async (_: TransactionContext, confirmed: ChainTransaction) => {
    const attempt = () => inSavepoint(context.tx, () => applyEffects(context, confirmed, change));
    // What another transaction has changed in between is seen by the second attempt.
    const failure = (await attempt()) && (await attempt());
    if (failure === null) return;
    await quarantine(context, confirmed, change, failure.error);
    onQuarantine(transaction, change, failure.error);
  };
  await moveWith(apply, context, transaction, change);
}

/** As `recordMove`, where nobody can try what the change causes, as its row cannot be read: it is quarantined. */
export async function quarantineMove(
  context: TransactionContext,
  head: TransactionHead,
  change: StateChange,
  { error, onQuarantine }: { readonly error: unknown; readonly onQuarantine: OnQuarantine },
): Promise<void> {
  const apply = async (_: TransactionContext, confirmed: TransactionHead) => {
    await quarantine(context, confirmed, change, error);
    onQuarantine(head, change, error);
  };
  await moveWith(apply, context, head, change);
}

/** `recordMove` with an alarm. */
export function quarantining(onQuarantine: OnQuarantine): Move {
  return (context, transaction, change) => recordMove(context, transaction, change, onQuarantine);
}

/** Applies what a change of its state causes, without changing the state. `transaction` is as it was before the change. */
export async function applyEffects(
  context: TransactionContext,
  transaction: ChainTransaction,
  { to, direction }: StateChange,
): Promise<void> {
  const { revived, confirmed, final, rolledBack, ended } = transactionEffects[transaction.kind];
  if (to === 'confirmed' && hasEnded(transaction.state)) await revived?.(context, transaction);
  if (to === 'confirmed') await confirmed(context, transaction);
  if (to === 'final') await final?.(context, transaction);
  if (direction === 'rollback') await rolledBack(context, transaction);
  if (to === 'expired' || to === 'failed') {
    await ended(context, transaction, to);
    await releaseLeases(context.tx, transaction.id);
    await failDependents(context, transaction);
  }
}

/** Fails what spends an output of a transaction of a settlement that can never be on the ledger, so that it is built again. */
async function failDependents(context: TransactionContext, transaction: ChainTransaction): Promise<void> {
  if (transaction.kind !== 'mint' && transaction.kind !== 'deliver') return;
  const reason = `an output of transaction ${transaction.hash} can never be on the ledger`;
  for (const dependent of await lockDependents(context.tx, transaction))
    await moveTransaction(context, dependent, { to: 'failed', reason });
}

async function signalWorkflows(
  context: TransactionContext,
  transaction: TransactionHead,
  { to }: StateChange,
): Promise<void> {
  const { kind, ownerWorkflow, vaultId } = transaction;
  // An anchor chain only rebuilds anchors; it has nothing to do when they are confirmed.
  if (kind === 'anchor' && to !== 'expired' && to !== 'failed') return;
  await signalTransactionChanged(context, ownerWorkflow);
  if (vaultId === null) return;
  if (await isAwaitedByVault(context, { kind, vaultId }, to))
    await signalTransactionChanged(context, vaultWorkflowId(vaultId));
  const rotationId = isAwaitedByRotation(kind) ? await openRotationId(context.tx, vaultId) : null;
  if (rotationId !== null) await signalTransactionChanged(context, rotationWorkflowId(rotationId));
}

/** Whether the workflow of the vault waits for its last deposit, or, while the vault ends, for its last execution and for what cosigners sign. */
async function isAwaitedByVault(
  { tx }: TransactionContext,
  { kind, vaultId }: { readonly kind: TransactionKind; readonly vaultId: string },
  to: StateChange['to'],
): Promise<boolean> {
  if (kind === 'execute' || kind === 'gather_pot' || kind === 'hand_over') return isTerminating(tx, vaultId);
  if (isOpen(to) || !depositKinds.some((deposit) => deposit === kind)) return false;
  return vaultAwaitsDeposits(tx, vaultId);
}
