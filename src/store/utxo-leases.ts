import { sql } from 'kysely';
import type { Utxo } from '../chain/transaction.ts';
import type { Transaction } from './database.ts';
import { readStoredUtxo, type StoredUtxo } from './stored-utxo.ts';

interface Spending {
  /** Of a recorded transaction. */
  readonly id: string;
  readonly inputs: readonly Utxo[];
}

/** Leases what is free of these inputs for a transaction; answers how many that were. */
export async function insertLeases(tx: Transaction, { id, inputs }: Spending): Promise<number> {
  if (inputs.length === 0) return 0;
  const leases = inputs.map(({ txHash, index }) => ({ tx_hash: txHash, output_index: index, transaction_id: id }));
  const taken = await tx
    .insertInto('utxo_leases')
    .values(leases)
    .onConflict((conflict) => conflict.doNothing())
    .returning('tx_hash')
    .execute();
  return taken.length;
}

/** Leases whatever of its inputs a transaction does not hold yet; answers those that something else holds. */
export async function leaseInputs(tx: Transaction, transaction: Spending): Promise<Utxo[]> {
  await insertLeases(tx, transaction);
  return inputsHeldElsewhere(tx, transaction);
}

/** The inputs of a transaction that another one, or a lane of anchors, holds. */
export async function inputsHeldElsewhere(tx: Transaction, { id, inputs }: Spending): Promise<Utxo[]> {
  if (inputs.length === 0) return [];
  const hashes = [...new Set(inputs.map(({ txHash }) => txHash))];
  const rows = await tx
    .selectFrom('utxo_leases')
    .select(['tx_hash', 'output_index'])
    .where('tx_hash', 'in', hashes)
    .where(sql<boolean>`transaction_id is distinct from ${id}`)
    .execute();
  const held = new Set(rows.map((lease) => `${lease.tx_hash}#${lease.output_index}`));
  return inputs.filter(({ txHash, index }) => held.has(`${txHash}#${index}`));
}

/** What frozen executions would spend with the signature of a wallet. */
export async function inputsAskedOf(tx: Transaction, wallet: string): Promise<Utxo[]> {
  const rows = await tx
    .selectFrom('chain_transactions')
    .select('inputs')
    .where('wallet', '=', wallet)
    .where('kind', '=', 'execute')
    .where('state', '=', 'awaiting_signatures')
    .execute();
  return rows.flatMap(({ inputs }) => (inputs as StoredUtxo[]).map(readStoredUtxo));
}
