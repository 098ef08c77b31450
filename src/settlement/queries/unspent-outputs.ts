import { sql } from 'kysely';
import { depositKinds, type TransactionKind } from '../../transactions/rules/transaction-state.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import type { Db } from '../../platform/database/database.ts';

/** Most transactions of a vault: they move what belongs to its users, and never what is at the addresses of the vault itself. */
const kindsOfUsers: readonly TransactionKind[] = [...depositKinds, 'refund', 'stake', 'unstake'];

/** The unspent outputs that transactions of a vault made at an address of the vault itself, as far as the ledger is followed. */
export async function unspentOutputsAt(db: Db, vaultId: string, address: string): Promise<UtxoRef[]> {
  const landed = sql`vault_id = ${vaultId} and state in ('confirmed', 'final') and kind <> all (${kindsOfUsers})`;
  const { rows } = await sql<UtxoRef>`
    select hash as "txHash", (made ->> 'index')::int as index
      from chain_transactions cross join lateral jsonb_array_elements(outputs) as made
      where ${landed} and made ->> 'address' = ${address}
    except
    select spent ->> 'txHash', (spent ->> 'index')::int
      from chain_transactions cross join lateral jsonb_array_elements(inputs) as spent
      where ${landed} and spent ->> 'address' = ${address}`.execute(db);
  return rows;
}
