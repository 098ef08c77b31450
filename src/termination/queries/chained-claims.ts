import { sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import { type ChainTransaction, readTransaction } from '../../transactions/queries/chain-transactions.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { readStoredUtxo, type StoredUtxo } from '../../transactions/queries/stored-utxo.ts';

/** A claim that its wallet has signed and that no block is recorded for. */
export interface SentClaim {
  readonly hash: string;
  /** The outputs of the pot that it spends, as `<hash>#<index>`. */
  readonly spends: readonly string[];
  /** What it leaves in the pot; null when another transaction holds that. */
  readonly change: Utxo | null;
}

/** The claims from a vault that are signed and in no block, without those that the ledger has refused. */
export async function sentClaims(db: Db | Transaction, vaultId: string, potAddress: string): Promise<SentClaim[]> {
  const rows = await claimTransactions(db, vaultId)
    .select('hash')
    .select(
      sql<
        string[]
      >`array(select (input ->> 'txHash') || '#' || (input ->> 'index') from jsonb_array_elements(inputs) input
        where input ->> 'address' = ${potAddress})`.as('spends'),
    )
    .select(
      sql<StoredUtxo | null>`case when exists (select from utxo_leases where tx_hash = hash and output_index = 0) then null
        else outputs -> 0 end`.as('change'),
    )
    .where('state', 'in', ['pending', 'submitted'])
    .where('refusal', 'is', null)
    .execute();
  return rows.map(({ hash, spends, change }) => ({ hash, spends, change: change && readStoredUtxo(change) }));
}

/** The claims whose change a claim spends and that are signed and not sent yet; none of another transaction. */
export async function unsentClaimsBefore(
  db: Db,
  { kind, inputs }: Pick<ChainTransaction, 'kind' | 'inputs'>,
): Promise<ChainTransaction[]> {
  if (kind !== 'claim') return [];
  const rows = await db
    .selectFrom('chain_transactions')
    .selectAll()
    .where('hash', '=', anyOf(inputs.map(({ txHash }) => txHash)))
    .where('kind', '=', 'claim')
    .where('state', '=', 'pending')
    .execute();
  return rows.map(readTransaction);
}

/** The inputs of the newest claims from a vault that nobody has signed; an output is named once for each of them. */
export async function inputsOfUnsignedClaims(tx: Transaction, vaultId: string, limit: number): Promise<UtxoRef[]> {
  const rows = await claimTransactions(tx, vaultId)
    .select('inputs')
    .where('state', '=', 'awaiting_signatures')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ inputs }) => inputs);
}

function claimTransactions(db: Db | Transaction, vaultId: string) {
  return db.selectFrom('chain_transactions').where('vault_id', '=', vaultId).where('kind', '=', 'claim');
}
