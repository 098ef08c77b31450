import { sql } from 'kysely';
import { hasEnded, isOnLedger, isOpen, type TransactionKind, transactionStates } from '../rules/transaction-state.ts';
import { type ChainTransaction, readTransaction } from './chain-transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';

/** The fields of a transaction that a list shows. */
export type TransactionSummary = Pick<ChainTransaction, 'hash' | 'kind' | 'state' | 'blockHeight' | 'createdAt'>;

/** Whether a vault has an open transaction of one of these kinds. */
export async function isAnyOpen(
  db: Db | Transaction,
  vaultId: string,
  kinds: readonly TransactionKind[],
): Promise<boolean> {
  const query = db.selectFrom('chain_transactions').select('id').where('vault_id', '=', vaultId);
  const open = query.where('kind', 'in', kinds).where('state', 'in', transactionStates.filter(isOpen));
  return (await open.limit(1).executeTakeFirst()) !== undefined;
}

/** Whether a vault has a transaction of one of these kinds that is in no block and still may be. */
export async function isAnyUnlanded(
  db: Db | Transaction,
  vaultId: string,
  kinds: readonly TransactionKind[],
): Promise<boolean> {
  const query = db.selectFrom('chain_transactions').select('id').where('vault_id', '=', vaultId);
  const unlanded = transactionStates.filter((state) => isOpen(state) && !isOnLedger(state));
  const found = query.where('kind', 'in', kinds).where('state', 'in', unlanded);
  return (await found.limit(1).executeTakeFirst()) !== undefined;
}

/** Whether a vault has a transaction of one of these kinds that has all signatures and is not final. */
export async function isAnySent(
  db: Db | Transaction,
  vaultId: string,
  kinds: readonly TransactionKind[],
): Promise<boolean> {
  const query = db.selectFrom('chain_transactions').select('id').where('vault_id', '=', vaultId);
  const sent = query.where('kind', 'in', kinds).where('state', 'in', ['pending', 'submitted', 'confirmed']);
  return (await sent.limit(1).executeTakeFirst()) !== undefined;
}

/** Whether the transaction of a vault before this one, of the same kind, has expired. */
export async function followsExpired(
  db: Db | Transaction,
  { vaultId, kind, createdAt }: Pick<ChainTransaction, 'kind' | 'createdAt'> & { readonly vaultId: string },
): Promise<boolean> {
  const query = db.selectFrom('chain_transactions').select('state').where('vault_id', '=', vaultId);
  const earlier = query.where('kind', '=', kind).where('created_at', '<', new Date(createdAt));
  return (await earlier.orderBy('created_at', 'desc').limit(1).executeTakeFirst())?.state === 'expired';
}

type TransactionSummaryJson = Omit<TransactionSummary, 'createdAt'> & { readonly createdAt: JsonTime };

/**
 * The transactions of a vault, oldest first, as a column of a statement that reads vaults. If there are more than `limit`, older ones
 * of wallets are left out.
 */
export function transactionSummaries(limit: number) {
  return sql<readonly TransactionSummaryJson[]>`(select coalesce(json_agg(json_build_object('hash', hash, 'kind', kind,
    'state', state, 'blockHeight', block_height, 'createdAt', created_at) order by created_at, id), '[]') from (
      select id, hash, kind, state, block_height, created_at from chain_transactions where vault_id = vaults.id
      order by signer, created_at desc, id desc limit ${limit}) as shown)`;
}

/** Reads the column of `transactionSummaries`. */
export function readTransactionSummaries(json: readonly TransactionSummaryJson[]): TransactionSummary[] {
  return json.map((summary) => ({ ...summary, createdAt: jsonInstant(summary.createdAt) }));
}

/** A vault's transactions of some kinds, oldest first. */
export async function vaultTransactions(
  db: Db | Transaction,
  vaultId: string,
  kinds: readonly TransactionKind[],
): Promise<ChainTransaction[]> {
  const rows = await db
    .selectFrom('chain_transactions')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('kind', 'in', kinds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(readTransaction);
}

/**
 * The expired and failed transactions of a vault that a block which the follower keeps could have; a rollback to before these blocks
 * is none that a network makes.
 */
export async function endedTransactions(
  db: Db,
  vaultId: string,
  kind: TransactionKind,
): Promise<Pick<ChainTransaction, 'id' | 'hash'>[]> {
  return db
    .selectFrom('chain_transactions')
    .select(['id', 'hash'])
    .where('vault_id', '=', vaultId)
    .where('kind', '=', kind)
    .where('state', 'in', transactionStates.filter(hasEnded))
    .where(sql<boolean>`ttl_slot > coalesce((select min(slot) from blocks), 0)`)
    .execute();
}
