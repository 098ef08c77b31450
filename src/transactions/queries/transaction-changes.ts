import type { InputConflict } from '../rules/input-conflict.ts';
import { type TransactionState, transactionTransition } from '../rules/transaction-state.ts';
import type { Direction } from '../../platform/states/transitions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { eventInsert, type NewEvent } from '../../events/queries/events.ts';
import { executeAsOne } from '../../platform/database/execute-as-one.ts';
import { signalTransactionChanged } from '../../platform/temporal/workflow-outbox.ts';
import type { ChainTransaction, TransactionHead } from './chain-transactions.ts';
import type { StoredWitness } from '../../platform/database/tables/transactions.ts';
import { releaseLeases } from './utxo-leases.ts';
import { historyInsert } from './transaction-history.ts';

/** Withdraws a transaction: it accepts no more signatures and its inputs are free. It is still watched, because a wallet may have submitted it. */
export async function markWithdrawn(
  context: TransactionContext,
  { id, ownerWorkflow }: Pick<ChainTransaction, 'id' | 'ownerWorkflow'>,
  reason: string,
): Promise<void> {
  const { tx, now } = context;
  await tx
    .updateTable('chain_transactions')
    .set({ error: reason, updated_at: new Date(now) })
    .where('id', '=', id)
    .execute();
  await releaseLeases(tx, id);
  await signalTransactionChanged(context, ownerWorkflow);
}

export interface StateChange {
  to: TransactionState;
  direction?: Direction;
  block?: { height: number; hash: string } | null;
  reason?: string;
  /** What makes a failure certain. */
  conflict?: InputConflict | null;
}

/** Moves a transaction to another state, adds it to its history and records the event. Throws INVALID_TRANSITION. */
export async function changeTransactionState(
  context: TransactionContext,
  current: TransactionHead,
  change: StateChange,
): Promise<void> {
  const { tx, now } = context;
  const state = transactionTransition(current.state, change.to, change.direction);
  const update = tx
    .updateTable('chain_transactions')
    .set({
      state,
      updated_at: new Date(now),
      ...(change.block !== undefined && {
        block_height: change.block === null ? null : BigInt(change.block.height),
        block_hash: change.block?.hash ?? null,
      }),
      error: change.reason ?? null,
      ...(state === 'confirmed' && { refusal: null, conflict: null }),
      ...(change.conflict && { conflict: JSON.stringify(change.conflict) }),
      ...(state === 'submitted' && current.state === 'pending' && { submitted_at: new Date(now) }),
    })
    .where('id', '=', current.id);
  await executeAsOne(tx, [
    update,
    historyInsert(context, current, state, change),
    eventInsert(context, [statusEvent(current, { ...change, to: state })]),
  ]);
}

function statusEvent(
  { hash, kind, state: from, vaultId, wallet, ownerWorkflow, blockHeight }: TransactionHead,
  { to, direction, block, reason }: StateChange,
): NewEvent {
  return {
    type: direction === 'rollback' ? 'TRANSACTION_ROLLED_BACK' : 'TRANSACTION_STATUS_CHANGED',
    vaultId,
    actor: wallet ?? 'platform',
    transactionHash: hash,
    correlationId: ownerWorkflow,
    data: {
      kind,
      from,
      to,
      blockHeight: block === undefined ? blockHeight : (block?.height ?? null),
      reason: reason ?? null,
    },
  };
}

/** Stores the bytes that will be submitted, before they are; returns whether the transaction has not been given up. */
export async function storeSigned(db: Db | Transaction, transactionId: string, signedCbor: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('chain_transactions')
    .set({ signed_cbor: signedCbor })
    .where('id', '=', transactionId)
    .where('state', 'not in', ['expired', 'failed'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** As `storeSigned`, of bytes that the ledger has, whatever became of the transaction here. */
export async function storeLanded(db: Db, transactionId: string, signedCbor: string): Promise<void> {
  const update = db.updateTable('chain_transactions').set({ signed_cbor: signedCbor }).where('id', '=', transactionId);
  await update.where('signed_cbor', 'is', null).execute();
}

/** Stores witnesses that were checked against the transaction. */
export async function storeWitnesses(
  tx: Transaction,
  transactionId: string,
  witnesses: readonly StoredWitness[],
): Promise<void> {
  await tx
    .updateTable('chain_transactions')
    .set({ witnesses: JSON.stringify(witnesses) })
    .where('id', '=', transactionId)
    .execute();
}
