import { paymentKeyHashOf, readPaymentKeyHash } from '../cardano/scripts/address.ts';
import { type Caller, mayActForAnyWallet } from '../access/rules.ts';
import { ServiceError } from '../platform/errors.ts';
import { type Signer, signersOf } from '../executions/rules/cosigners.ts';
import { signingKeys } from './rules.ts';
import { type ChainTransaction, findTransactionRecord, type TransactionRecord } from './queries/transactions.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import {
  type ListedTransaction,
  listTransactions,
  type SigningWallet,
  type TransactionFilter,
} from './queries/listed-transactions.ts';
import type { PageCount } from '../platform/database/page.ts';
import { findExecutionOfTransaction } from '../executions/queries.ts';
import type { ServiceContext } from '../context.ts';
import { readableStatuses, readerScope } from '../vaults/require-vault.ts';

export interface TransactionView extends Pick<TransactionRecord, 'transaction' | 'tip' | 'history' | 'replacedBy'> {
  /** The wallets that were asked to sign it. */
  readonly named: readonly Signer[];
}

export async function requireReadableTransaction(
  db: Db | Transaction,
  caller: Caller,
  hash: string,
): Promise<ChainTransaction> {
  const record = await findRecordFor(db, caller, hash);
  if (!record?.mayRead) throw new ServiceError('TRANSACTION_NOT_FOUND');
  return record.transaction;
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
 * A page of the transactions that the caller may read, by the rule of `findRecordFor`, and the total. What requires the caller's
 * signature and is neither their own nor an execution is left out.
 */
export async function listReadableTransactions(
  { db }: Pick<ServiceContext, 'db'>,
  caller: Caller,
  { wallet, ...filter }: Filter,
  page: Parameters<typeof listTransactions>[2],
): Promise<{ transactions: readonly ListedTransaction[]; count: PageCount }> {
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

/** A transaction by its hash and whether the caller may read it, in one query: one that they may not read takes no longer than none. */
export async function findRecordFor(
  db: Db | Transaction,
  caller: Caller,
  hash: string,
): Promise<(TransactionRecord & { readonly mayRead: boolean }) | null> {
  const reader = { scope: readerScope(caller), statuses: readableStatuses(caller) };
  const record = await findTransactionRecord(db, hash, reader);
  if (!record) return null;
  const { transaction, isVaultVisible } = record;
  const isPublic = isVaultVisible || transaction.vaultId === null;
  return { ...record, mayRead: isPublic || mayActForAnyWallet(caller) || isSignedBy(caller, transaction) };
}

export async function readTransaction(db: Db, caller: Caller, hash: string): Promise<TransactionView> {
  const record = await findRecordFor(db, caller, hash);
  if (!record?.mayRead) throw new ServiceError('TRANSACTION_NOT_FOUND');
  return viewOf(record);
}

/** A transaction that exists, for a caller who has changed it. */
export async function viewTransaction(
  db: Db | Transaction,
  { hash }: Pick<ChainTransaction, 'hash'>,
): Promise<TransactionView> {
  const record = await findTransactionRecord(db, hash, { scope: 'everyone', statuses: [] });
  if (!record) throw new Error(`there is no transaction ${hash}`);
  return viewOf(record);
}

function viewOf({ transaction, tip, history, replacedBy, execution }: TransactionRecord): TransactionView {
  return { transaction, tip, history, replacedBy, named: namedSigners(transaction, execution) };
}

export async function walletsAskedToSign(
  db: Db | Transaction,
  transaction: ChainTransaction,
): Promise<readonly Signer[]> {
  const isExecution = transaction.kind === 'execute';
  return namedSigners(transaction, isExecution ? await findExecutionOfTransaction(db, transaction.id) : null);
}

function namedSigners(
  { signer, wallet }: ChainTransaction,
  execution: TransactionRecord['execution'],
): readonly Signer[] {
  if (execution) return signersOf(execution);
  return signer === 'wallet' && wallet !== null ? [{ wallet, keyHash: paymentKeyHashOf(wallet) }] : [];
}
