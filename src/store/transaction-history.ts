import { sql } from 'kysely';
import { type Instant, instant } from '../domain/units/instant.ts';
import type { TransactionState } from '../domain/transaction/transaction-state.ts';
import type { ChainTransaction } from './chain-transactions.ts';
import type { Db, Transaction } from './database.ts';

export interface HistoryEntry {
  readonly state: TransactionState;
  readonly at: Instant;
  readonly blockHeight: number | null;
  readonly reason: string | null;
}

/** Everything that happened to a transaction, oldest first. */
export async function transactionHistory(db: Db | Transaction, transactionId: string): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('chain_transaction_history')
    .selectAll()
    .where('transaction_id', '=', transactionId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    state: row.state as TransactionState,
    at: instant(row.at),
    blockHeight: row.block_height === null ? null : Number(row.block_height),
    reason: row.reason,
  }));
}

/** When a transaction that is final was so first: a rollback may have been deeper than finality since. */
export async function firstFinalAt(tx: Transaction, { id }: Pick<ChainTransaction, 'id'>): Promise<Instant> {
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

/** The hashes of the newest transactions besides the given one that ask wallets for a signature of this key. */
export async function otherHashesAwaiting(
  db: Db | Transaction,
  keyHash: string,
  { id }: Pick<ChainTransaction, 'id'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .select('hash')
    .where('signer', '=', 'wallet')
    .where('required_signers', '@>', sql<string[]>`array[${keyHash}]`)
    .where('id', '!=', id)
    .orderBy('created_at', 'desc')
    .limit(50)
    .execute();
  return rows.map(({ hash }) => hash);
}
