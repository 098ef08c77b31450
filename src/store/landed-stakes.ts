import { sql } from 'kysely';
import type { UtxoRef } from '../domain/transaction/utxo-ref.ts';
import type { Db } from './database.ts';

/** Where a wallet may have stakes in a vault. */
export interface StakePlace {
  readonly vaultId: string;
  readonly wallet: string;
  readonly address: string;
}

/** The outputs with the stakes of a wallet that still have power, where the ledger, as far as it is followed, has brought them to an address. */
export async function landedStakesAt(db: Db, { vaultId, wallet, address }: StakePlace): Promise<UtxoRef[]> {
  const rows = await db
    .selectFrom('stakes')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .select('brought.hash')
    .where('stakes.vault_id', '=', vaultId)
    .where('stakes.wallet', '=', wallet)
    .where(sql<boolean>`stakes.voting_power > 0`)
    .where('brought.state', 'in', ['confirmed', 'final'])
    .where(sql<boolean>`brought.outputs -> 0 ->> 'address' = ${address}`)
    .execute();
  return rows.map(({ hash }) => ({ txHash: hash, index: 0 }));
}
