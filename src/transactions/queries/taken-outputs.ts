import { sql } from 'kysely';
import type { TransactionKind } from '../rules/transaction-state.ts';
import type { UtxoRef } from '../rules/utxo-ref.ts';
import type { TransactionHead } from './chain-transactions.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** Investments and stakes are the first output of the transaction that brings them. */
const first = sql.lit(0).as('index');

type Reader = (tx: Transaction, transactionId: string) => Promise<UtxoRef[]>;

/** By the kind of transaction that returns what was brought before. */
const readers: Partial<Record<TransactionKind, Reader>> = {
  remove_asset: (tx, id) =>
    tx
      .selectFrom('assets')
      .innerJoin('chain_transactions', 'chain_transactions.id', 'assets.add_transaction_id')
      .select(['chain_transactions.hash as txHash', 'assets.deposit_index as index'])
      .where('assets.remove_transaction_id', '=', id)
      .execute(),
  remove_investment: (tx, id) =>
    tx
      .selectFrom('investments')
      .innerJoin('chain_transactions', 'chain_transactions.id', 'investments.transaction_id')
      .select(['chain_transactions.hash as txHash', first])
      .where('investments.remove_transaction_id', '=', id)
      .execute(),
  unstake: (tx, id) =>
    tx
      .selectFrom('stakes')
      .innerJoin('chain_transactions', 'chain_transactions.id', 'stakes.stake_transaction_id')
      .select(['chain_transactions.hash as txHash', first])
      .where('stakes.unstake_transaction_id', '=', id)
      .execute(),
  return_unsolicited: (tx, id) =>
    tx
      .selectFrom('unsolicited_outputs')
      .select(['tx_hash as txHash', 'output_index as index'])
      .where('return_transaction_id', '=', id)
      .execute(),
};

/** The outputs that rows say a transaction returns; none where its kind returns nothing. */
export async function takenOutputs(
  tx: Transaction,
  { id, kind }: Pick<TransactionHead, 'id' | 'kind'>,
): Promise<UtxoRef[]> {
  return (await readers[kind]?.(tx, id)) ?? [];
}
