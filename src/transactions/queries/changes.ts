import { sql } from 'kysely';
import { eventInsert, type NewEvent } from '../../events/queries/events.ts';
import { notConfirmed } from '../../ledger-follower/queries/followed-transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { executeAsOne } from '../../platform/database/statements.ts';
import type { StoredWitness } from '../../platform/database/tables/ledger.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import type { Direction } from '../../platform/states.ts';
import { signalTransactionChanged } from '../../platform/temporal/workflow-outbox.ts';
import { type ChainTransaction, type TransactionHead, historyInsert } from './transactions.ts';
import { releaseLeases } from './utxo-leases.ts';
import { type InputConflict, type TransactionState, transactionTransition } from '../rules.ts';

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

/** Moves a transaction to another state, adds it to its history and records the event. */
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
export async function storeConfirmed(db: Db, transactionId: string, signedCbor: string): Promise<void> {
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

/** Records why the ledger has refused an open transaction; null when it accepts it after all. */
export async function setRefusal(
  context: TransactionContext,
  { id, kind, hash, vaultId, wallet, ownerWorkflow }: ChainTransaction,
  refusal: string | null,
): Promise<void> {
  const { tx } = context;
  const event: NewEvent = {
    type: 'TRANSACTION_REFUSED',
    vaultId,
    actor: wallet ?? 'platform',
    transactionHash: hash,
    correlationId: ownerWorkflow,
    data: { kind, reason: refusal },
  };
  await tx.updateTable('chain_transactions').set({ refusal }).where('id', '=', id).execute();
  await eventInsert(context, [event]).execute();
}

const isOpen = sql<boolean>`state = any(${notConfirmed})`;
/** One that has ended since it was marked is not meant. */
const hadEnded = sql<boolean>`(state in ('expired', 'failed') and expiry_failed_at > updated_at)`;

/** Whether it may have to be recorded of a transaction that a block has it. */
const isUnrecorded = sql<boolean>`((${isOpen} and expiry_failed_at is not null) or ${hadEnded})`;

/**
 * Transactions of which it could not be recorded that a block has them: open ones that a block in `slot` may still have, and those of held
 * vaults that had ended.
 */
export async function unrecordedConfirmations(
  db: Db,
  slot: number,
  limit: number,
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  const { rows } = await sql<Pick<ChainTransaction, 'id' | 'hash'>>`
    select id, hash from (
      select id, hash, expiry_failed_at from chain_transactions
        where ${isOpen} and ttl_slot > ${slot} and expiry_failed_at is not null
      union all
      select id, hash, expiry_failed_at from holds join chain_transactions using (vault_id)
        where reason = 'quarantined' and ${hadEnded}
    ) as unrecorded order by expiry_failed_at limit ${limit}`.execute(db);
  return rows;
}

/** The vaults that are held as quarantined although nothing of theirs is in quarantine or unrecorded. */
export async function staleQuarantineHolds(db: Db | Transaction): Promise<string[]> {
  const { rows } = await sql<{ vaultId: string }>`select vault_id as "vaultId" from holds where reason = 'quarantined'
    and not exists (select from quarantine join chain_transactions t on t.id = transaction_id where t.vault_id = holds.vault_id)
    and not exists (select from chain_transactions t where t.vault_id = holds.vault_id and ${isUnrecorded})`.execute(
    db,
  );
  return rows.map(({ vaultId }) => vaultId);
}
