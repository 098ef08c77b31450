import type { Caller } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findReplacement } from '../../store/anchor-batches.ts';
import { type ChainTransaction, findTransactionByHash } from '../../store/chain-transactions.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { type HistoryEntry, transactionHistory } from '../../store/transaction-history.ts';
import { mayReadLedgerRecords } from '../vaults/vault-access.ts';

/** A transaction as readers see it. */
export interface TransactionView {
  readonly transaction: ChainTransaction;
  /** Every change of state, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Hash of the anchor that carries its facts now; null unless it is an anchor that was replaced. */
  readonly replacedBy: string | null;
}

/** A transaction by its hash. Throws TRANSACTION_NOT_FOUND, also for a transaction of a vault that the caller may not read. */
export async function requireReadableTransaction(
  db: Db | Transaction,
  caller: Caller,
  hash: string,
): Promise<ChainTransaction> {
  const transaction = await findTransactionByHash(db, hash);
  if (!transaction || !(await mayReadTransaction(db, caller, transaction)))
    throw new ServiceError('TRANSACTION_NOT_FOUND');
  return transaction;
}

/** Whether the caller may read the vault of a transaction. */
export async function mayReadTransaction(
  db: Db | Transaction,
  caller: Caller,
  { vaultId }: ChainTransaction,
): Promise<boolean> {
  return vaultId === null || mayReadLedgerRecords({ db }, caller, vaultId);
}

/** Adds the history and the replacement to a transaction. */
export async function viewTransaction(db: Db | Transaction, transaction: ChainTransaction): Promise<TransactionView> {
  const history = await transactionHistory(db, transaction.id);
  const replacedBy = transaction.kind === 'anchor' ? await findReplacement(db, transaction) : null;
  return { transaction, history, replacedBy };
}
