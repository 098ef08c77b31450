import { sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import { isOnLedger, type TransactionState } from '../../transactions/rules/transaction-state.ts';
import { type ChainTransaction, lockTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { readStoredUtxo, type StoredUtxo } from '../../transactions/queries/stored-utxo.ts';

/** What a settlement left at its address, and whether the transaction that left it is in a block. */
interface SettlementOutput {
  readonly output: Utxo;
  readonly kind: 'mint' | 'deliver';
  readonly isOnLedger: boolean;
}

/**
 * Output 0 of the last of the mint and the deliveries that have landed or still may, which no other of them spends. One that was
 * built later need not be later in the chain. A mint of another token than the vault's own is left out: an operator decides about it.
 */
export async function lastSettlementOutput(
  db: Db,
  { id, ftUnit }: { readonly id: string; readonly ftUnit: string },
): Promise<SettlementOutput | null> {
  const { rows } = await sql<{ output: StoredUtxo; kind: SettlementOutput['kind']; state: TransactionState }>`
    with last as materialized (
      select id from chain_transactions made
      where vault_id = ${id} and kind in ('mint', 'deliver') and state not in ('expired', 'failed')
        and (kind = 'deliver' or outputs -> 0 -> 'assets' ? ${ftUnit})
        and not exists (select from utxo_leases held join chain_transactions t on t.id = held.transaction_id
          where held.tx_hash = made.hash and held.output_index = 0 and t.kind = 'deliver' offset 0)
      order by created_at desc, id desc limit 1)
    select outputs -> 0 as output, kind, state from chain_transactions where id in (select id from last)`.execute(db);
  const [row] = rows;
  return row ? { output: readStoredUtxo(row.output), kind: row.kind, isOnLedger: isOnLedger(row.state) } : null;
}

/** Locks the open transactions of a settlement that spend outputs of a transaction. */
export async function lockDependents(
  tx: Transaction,
  { hash }: Pick<ChainTransaction, 'hash'>,
): Promise<ChainTransaction[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from utxo_leases held join chain_transactions t on t.id = held.transaction_id
    where held.tx_hash = ${hash} and t.kind in ('deliver', 'liquidity') and t.state in ('pending', 'submitted')
    order by t.id`.execute(tx);
  const locked: ChainTransaction[] = [];
  for (const { id } of rows) {
    const dependent = await lockTransaction(tx, id);
    if (dependent?.state === 'pending' || dependent?.state === 'submitted') locked.push(dependent);
  }
  return locked;
}
