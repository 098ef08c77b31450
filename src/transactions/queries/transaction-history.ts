import { sql } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import type { TransactionState } from '../rules/transaction-state.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

export interface HistoryEntry {
  readonly state: TransactionState;
  readonly at: Instant;
  readonly blockHeight: number | null;
  /** Null while it is in no block. */
  readonly blockHash: string | null;
  readonly reason: string | null;
}

/** When a transaction was final for the first time: it may have been rolled back and become final again. Throws when it never was. */
export async function firstFinalAt(tx: Transaction, { id }: { readonly id: string }): Promise<Instant> {
  const { at } = await tx
    .selectFrom('chain_transaction_history')
    .select('at')
    .where('transaction_id', '=', id)
    .where('state', '=', 'final')
    .orderBy('position')
    .limit(1)
    .executeTakeFirstOrThrow();
  return instant(at);
}

/** A transaction with the block it is in before the change. */
interface RecordedTransaction {
  readonly id: string;
  readonly blockHeight: number | null;
  readonly blockHash: string | null;
}

interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

interface StateChange {
  readonly block?: BlockRef | null;
  readonly reason?: string;
}

/** The statement that records a change of state; `block` as far as the change is also one of the block. */
export function historyInsert(
  { tx, now }: Pick<TransactionContext, 'tx' | 'now'>,
  { id, blockHeight, blockHash }: RecordedTransaction,
  state: TransactionState,
  { block, reason }: StateChange = {},
) {
  // A transaction that becomes final keeps its block.
  const [height, hash] = block === undefined ? [blockHeight, blockHash] : [block?.height ?? null, block?.hash ?? null];
  const position = tx
    .selectFrom('chain_transaction_history')
    .select(sql<number>`count(*)::int`.as('position'))
    .where('transaction_id', '=', id);
  return tx.insertInto('chain_transaction_history').values({
    transaction_id: id,
    position,
    state,
    at: new Date(now),
    block_height: height === null ? null : BigInt(height),
    block_hash: hash,
    reason: reason ?? null,
  });
}
