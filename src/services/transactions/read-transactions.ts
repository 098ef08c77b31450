import { paymentKeyHashOf, readPaymentKeyHash } from '../../chain/scripts/address.ts';
import { type Caller, mayActForAnyWallet } from '../../domain/identity/caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Signer, signersOf } from '../../domain/execution/required-signatures.ts';
import { signingKeys } from '../../domain/transaction/signatures.ts';
import { findReplacement } from '../../store/anchor-batches.ts';
import { type ChainTransaction, findTransactionByHash } from '../../store/chain-transactions.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { listTransactions, type SigningWallet, type TransactionFilter } from '../../store/listed-transactions.ts';
import { findExecutionOfTransaction } from '../../store/executions.ts';
import { type HistoryEntry, transactionHistory } from '../../store/transaction-history.ts';
import { findVaultOrDeleted } from '../../store/vaults.ts';
import { isReadable, readableStatuses, readerScope } from '../vaults/vault-access.ts';

/** A transaction as readers see it. */
export interface TransactionView {
  readonly transaction: ChainTransaction;
  /** Every change of state, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** The wallets that were asked to sign it. */
  readonly named: readonly Signer[];
  /** Hash of the anchor that carries its facts now; null unless it is an anchor that was replaced. */
  readonly replacedBy: string | null;
}

/** A transaction by its hash. Throws TRANSACTION_NOT_FOUND, also for a transaction that the caller may not read. */
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

/** Whether the caller may read the vault of a transaction, also a deleted one, or signs the transaction. */
export async function mayReadTransaction(
  db: Db | Transaction,
  caller: Caller,
  transaction: ChainTransaction,
): Promise<boolean> {
  const { vaultId } = transaction;
  if (vaultId === null || mayActForAnyWallet(caller) || isSignedBy(caller, transaction)) return true;
  const vault = await findVaultOrDeleted(db, vaultId);
  return vault !== null && readableStatuses(caller).includes(vault.status) && isReadable(db, caller, vault);
}

function isSignedBy({ wallet }: Caller, transaction: ChainTransaction): boolean {
  if (wallet === null) return false;
  const key = paymentKeyHashOf(wallet);
  return wallet === transaction.wallet || signingKeys(transaction).some(({ keyHash }) => keyHash === key);
}

type Filter = Pick<TransactionFilter, 'vaultId' | 'kind' | 'status'> & {
  /** Only transactions of this wallet, and executions that it has signed or has to sign. */
  readonly wallet: string | undefined;
};

/**
 * A page of the transactions that the caller may read, by the rule of `mayReadTransaction`, and the total. What requires the caller's
 * signature and is neither their own nor an execution is left out.
 */
export async function listReadableTransactions(
  db: Db,
  caller: Caller,
  { wallet, ...filter }: Filter,
  page: Parameters<typeof listTransactions>[2],
): ReturnType<typeof listTransactions> {
  const reader = {
    scope: readerScope(caller),
    statuses: readableStatuses(caller),
    wallet: caller.wallet === null ? null : signingWallet(caller.wallet),
  };
  const signedBy = wallet === undefined ? undefined : signingWallet(wallet);
  return listTransactions(db, { ...filter, reader, signedBy }, page);
}

function signingWallet(wallet: string): SigningWallet {
  return { wallet, keyHash: readPaymentKeyHash(wallet) ?? null };
}

/** Adds to a transaction its history, its replacement, and who signs it. */
export async function viewTransaction(db: Db | Transaction, transaction: ChainTransaction): Promise<TransactionView> {
  const history = await transactionHistory(db, transaction.id);
  const replacedBy = transaction.kind === 'anchor' ? await findReplacement(db, transaction) : null;
  return { transaction, history, replacedBy, named: await walletsAskedToSign(db, transaction) };
}

/** The wallets that were asked to sign a transaction, each with the key it signs with. */
export async function walletsAskedToSign(
  db: Db | Transaction,
  { id, kind, signer, wallet }: ChainTransaction,
): Promise<readonly Signer[]> {
  const execution = kind === 'execute' ? await findExecutionOfTransaction(db, id) : null;
  if (execution) return signersOf(execution);
  return signer === 'wallet' && wallet !== null ? [{ wallet, keyHash: paymentKeyHashOf(wallet) }] : [];
}
